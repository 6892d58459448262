import { tokenUsage } from './token/read-token-command.ts';

export const unpackUsage = 'firn unpack PACKAGE... --out FOLDER [--package ID]';

/** What `firn COMMAND --help` says, by command. */
const helpOf: Readonly<Record<string, string>> = {
  unpack: `Usage: ${unpackUsage}

Rebuilds the files of a downloaded package, without a server, and prints the digest of each.

PACKAGE...     the package and those of all its ancestors, in any order; a base has none
--out FOLDER   where the files are written; what is there is replaced
--package ID   of a package that holds several checkpoints, the wanted one; default: the last`,
  token: `Usage:
${tokenUsage}

create prints the token's text, which is shown only once. --expires takes a time from now (90m, 12h, 30d) or a date;
without it the token never expires.`,
  scrub: `Usage: firn scrub [--repository NS/NAME] [--mib-per-s N]

Reads every object once, now, and prints a line for each damaged one. Exits with 1 if there is one.

--repository NS/NAME   only what checkpoints of this repository need
--mib-per-s N          reads at most this fast`,
  verify: `Usage: firn verify

Checks that database and bucket belong together: rebuilds every file and compares its digest. Prints a line for each
problem. Exits with 1 if there is one.`,
  gc: `Usage: firn gc [--dry-run] [--grace HOURS] [--force]

Marks orphans for deletion, and deletes what has been pending for the grace. Prints a line for each object.

--dry-run       says what would be done, and does nothing
--grace HOURS   default: FIRN_GC_GRACE_H
--force         allows a shorter grace than that, which downloads and backups under way rely on`,
};

/** The help that a command line asks for with `--help` or `-h`; undefined if it asks for none, or there is none. */
export function commandHelp(command: string, args: readonly string[]): string | undefined {
  const isAsked = args.some((arg) => arg === '--help' || arg === '-h');
  return isAsked && Object.hasOwn(helpOf, command) ? helpOf[command] : undefined;
}
