/** Where a command prints, and how. */
export interface Terminal {
  /** A person looks at it: tables are aligned, and progress is shown. Otherwise lines are tab-separated. */
  readonly isPerson: boolean;
  /** Answers are JSON. */
  readonly asJson: boolean;
  /** Prints one line of the answer. */
  say(line: string): void;
  /** Prints one line beside the answer, on standard error. */
  remark(line: string): void;
  /** Replaces the line of progress; an empty one takes it away. Does nothing where nobody looks. */
  progress(line: string): void;
}

/** The terminal of this process. */
export function openTerminal(asJson: boolean): Terminal {
  const { stdout, stderr } = process;
  const isPerson = stdout.isTTY === true && !asJson;
  let shown = false;
  const progress = (line: string): void => {
    if (!isPerson || stderr.isTTY !== true || (line === '' && !shown)) return;
    stderr.write(`\r\x1b[K${line.slice(0, (stderr.columns ?? 80) - 1)}`);
    shown = line !== '';
  };
  return {
    isPerson,
    asJson,
    say: (line) => {
      progress('');
      stdout.write(`${line}\n`);
    },
    remark: (line) => {
      progress('');
      stderr.write(`${line}\n`);
    },
    progress,
  };
}
