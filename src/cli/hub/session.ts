import { openHub, parseTarget, type Hub, type Target } from '../../../clients/typescript/src/index.ts';
import { openTerminal, type Terminal } from '../terminal/terminal.ts';
import { chooseHub } from './choose-hub.ts';
import { readSettings } from './settings.ts';

/** Options that every command for a hub takes. */
export interface HubOptions {
  readonly url?: string;
  readonly json?: boolean;
  readonly insecure?: boolean;
}

/** What a command for a hub works with. */
export interface Session {
  readonly hub: Hub;
  readonly terminal: Terminal;
}

/** Opens the hub that the options, the environment and the settings name. Nothing is sent yet. */
export function openSession({ url, json = false, insecure = false }: HubOptions): Session {
  const chosen = chooseHub(process.env, readSettings(process.env), { url, allowInsecure: insecure });
  return {
    hub: openHub({ ...chosen, allowInsecure: insecure, userAgent: 'firn-command-line' }),
    terminal: openTerminal(json),
  };
}

/** A target with a run. Throws an Error with one sentence. */
export function runTarget(text: string): Target & { readonly run: string } {
  const target = parseTarget(text);
  if (target.run === undefined) throw new Error(`${text} names no run: write NAMESPACE/NAME/RUN.`);
  return { ...target, run: target.run };
}

/** A target that is a repository. Throws an Error with one sentence. */
export function repositoryTarget(text: string): { readonly namespace: string; readonly name: string } {
  const { namespace, name, run } = parseTarget(text);
  if (run !== undefined) throw new Error(`${text} is a run: write the repository, ${namespace}/${name}.`);
  return { namespace, name };
}
