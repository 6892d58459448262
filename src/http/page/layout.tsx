import type { Child } from 'hono/jsx';
import { anonymous } from '../../access/principal.ts';
import { assetVersions } from './assets/send-asset.ts';
import type { Viewer } from './viewer.ts';
import { pagePaths } from './page-paths.ts';
import { FormToken } from './parts/form-token.tsx';

const links = [
  [pagePaths.home, 'Repositories'],
  [pagePaths.usage, 'Usage'],
  [pagePaths.queue, 'Queue'],
  [pagePaths.tokens, 'Tokens'],
] as const;

export interface LayoutProps {
  readonly title: string;
  /** Path of the page. */
  readonly path: string;
  /** Undefined on a page that does not know who looks at it. */
  readonly viewer: Viewer | undefined;
  readonly children: Child;
}

/** The page around every view. */
export function Layout({ title, path, viewer, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{title === 'Firn' ? title : `${title} – Firn`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="stylesheet" href={pagePaths.asset('style.css', assetVersions['style.css'])} />
        <link rel="icon" type="image/svg+xml" href={pagePaths.asset('icon.svg', assetVersions['icon.svg'])} />
        <script src={pagePaths.asset('live.js', assetVersions['live.js'])} type="module"></script>
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="top">
          <a class="brand" href={pagePaths.home}>
            Firn
          </a>
          <nav aria-label="Pages of the hub">
            {links.map(([href, words]) => (
              <a href={href} aria-current={href === path ? 'page' : undefined}>
                {words}
              </a>
            ))}
          </nav>
          {viewer !== undefined && <Who viewer={viewer} />}
        </header>
        <main id="content" tabindex={-1}>
          {children}
        </main>
        <footer>
          A model-hub storage gateway. The API: <a href="/openapi.json">openapi.json</a>.
        </footer>
      </body>
    </html>
  );
}

function Who({ viewer }: { readonly viewer: Viewer }) {
  if (viewer.isOpenHub) return <span class="who">Open hub: whoever reaches it may do everything</span>;
  if (viewer.principal.id === anonymous.id)
    return (
      <span class="who">
        <a href={pagePaths.signIn}>Sign in</a>
      </span>
    );
  return (
    <form class="who" method="post" action={pagePaths.signOut}>
      <FormToken viewer={viewer} />
      <span>Token {viewer.principal.name}</span>
      <button class="link" type="submit">
        Sign out
      </button>
    </form>
  );
}
