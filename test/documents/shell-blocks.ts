/** Words after `sh` at the beginning of a block. */
const kinds = ['', 'server', 'stopped', 'elsewhere'] as const;

/**
 * How a block of a page is tested. '': in the page's own shell. `server`: in a terminal of its own, which stays open.
 * `stopped`: in the page's shell, when every server has ended. `elsewhere`: not here, because another test or file does
 * so.
 */
export type BlockKind = (typeof kinds)[number];

export interface ShellBlock {
  readonly kind: BlockKind;
  readonly language: string;
  readonly text: string;
}

/**
 * The shell blocks of a document, in order, and its Python scripts as the shell gets them. Throws for a block of
 * unknown kind. Blocks that export a model (`python export=...`) are left out: test/exports runs them.
 */
export function shellBlocks(document: string): ShellBlock[] {
  return [...document.matchAll(/^```(sh|bash|shell|python)\b(?! *export=) *(.*)\n([\s\S]*?)^```$/gm)].map(
    ([, language, kind, text]) => {
      if (!isKind(kind!))
        throw new Error(
          `a shell block is of the kind "${kind}"; there are ${kinds.map((name) => `"${name}"`).join(', ')}`,
        );
      return {
        kind,
        language: language!,
        text: language === 'python' ? `python3 - <<'END_OF_SCRIPT'\n${text!}END_OF_SCRIPT\n` : text!,
      };
    },
  );
}

function isKind(kind: string): kind is BlockKind {
  return (kinds as readonly string[]).includes(kind);
}
