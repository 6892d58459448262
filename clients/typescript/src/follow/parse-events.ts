/** One event of a stream of server-sent events. */
export interface ServerEvent {
  readonly type: string;
  readonly data: string;
  /** The last id that the stream gave, for `Last-Event-ID`. */
  readonly id: string | undefined;
}

/** Longest event, in characters. A checkpoint with its result takes some ten thousand. */
const eventLengthMax = 4 * 1024 * 1024;

/**
 * Parses server-sent events from pieces of text, cut anywhere. Comments are left out. Throws for an event without end.
 */
export async function* parseEvents(pieces: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let rest = '';
  let id: string | undefined;
  let [type, data]: [string, string[]] = ['message', []];
  for await (const piece of pieces) {
    // A lone CR at the end may be the first half of CRLF.
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { type, data: data.join('\n'), id };
        [type, data] = ['message', []];
        continue;
      }
      const [, field, value] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line)!;
      if (field === 'event') type = value ?? '';
      else if (field === 'data') data.push(value ?? '');
      else if (field === 'id') id = value ?? '';
    }
    const length = rest.length + data.reduce((sum, line) => sum + line.length, 0);
    if (length > eventLengthMax) throw new Error('An event of the server has no end.');
  }
}
