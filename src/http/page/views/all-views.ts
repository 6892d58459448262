import { nothingThere } from '../../request/locate.ts';
import type { View } from '../page-context.ts';
import type { PageAddress } from '../page-paths.ts';
import { checkpointView } from './checkpoint/checkpoint.tsx';
import { compareView } from './compare.tsx';
import { homeView } from './home.tsx';
import { queueView } from './queue.tsx';
import { repositoryView } from './repository.tsx';
import { runView } from './run.tsx';
import { signInView, signOutView } from './sign-in.tsx';
import { tokensView } from './tokens.tsx';
import { usageView } from './usage.tsx';

/** The view that makes the page at an address. */
export function viewOf(address: Exclude<PageAddress, { at: 'asset' }>): View {
  switch (address.at) {
    case 'nowhere':
      return () => Promise.reject(nothingThere());
    case 'home':
      return homeView;
    case 'sign-in':
      return signInView;
    case 'sign-out':
      return signOutView;
    case 'usage':
      return usageView;
    case 'queue':
      return queueView;
    case 'tokens':
      return tokensView;
    case 'repository':
      return repositoryView(address);
    case 'compare':
      return compareView(address);
    case 'run':
      return runView(address);
    // Events are answered before; the page of their checkpoint is what a person would want there.
    case 'events':
    case 'checkpoint':
      return checkpointView(address);
  }
}
