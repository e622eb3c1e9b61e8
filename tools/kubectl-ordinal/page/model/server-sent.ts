/** An event of a stream of server-sent events. */
export interface ServerSent {
  readonly event: string;
  readonly data: string;
}

/** Takes a stream apart, whichever its pieces. An EventSource can't send the header that the token comes in. */
export class ServerSentParser {
  #rest = '';

  /** The events that a piece brings to their end. */
  push(piece: string): readonly ServerSent[] {
    const blocks = `${this.#rest}${piece}`.split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const lines = block.split('\n');
      const of = (field: string): string | undefined =>
        lines.find((line) => line.startsWith(`${field}: `))?.slice(field.length + 2);
      const [event, data] = [of('event'), of('data')];
      return event === undefined || data === undefined ? [] : [{ event, data }];
    });
  }
}
