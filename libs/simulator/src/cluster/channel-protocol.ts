/** The streams of a channel, by their numbers. */
export const stream = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const;

/** How the messages of exec and attach are written. */
export interface ChannelProtocol {
  /** Whether a client can close the command's input. Before `v5` there is no message for it. */
  readonly closesInput: boolean;
  /** Whether the end is a Status. Before `v4` it is a sentence, and nothing where the command succeeded. */
  readonly endsWithStatus: boolean;
  /** Whether messages are text: the stream's number as a digit, and its bytes in base64. */
  readonly isText: boolean;
}

const oldest: ChannelProtocol = { closesInput: false, endsWithStatus: false, isText: false };

const protocols: Readonly<Record<string, ChannelProtocol | undefined>> = {
  'v5.channel.k8s.io': { closesInput: true, endsWithStatus: true, isText: false },
  'v4.channel.k8s.io': { ...oldest, endsWithStatus: true },
  'v4.base64.channel.k8s.io': { ...oldest, endsWithStatus: true, isText: true },
  'channel.k8s.io': oldest,
  'base64.channel.k8s.io': { ...oldest, isText: true },
  // What a client speaks that names none.
  '': oldest,
};

/** The subprotocols of exec and attach. */
export const channelProtocols: readonly string[] = Object.keys(protocols);

/** The first subprotocol that is known of those that a client offers. */
export function protocolOf(offered: readonly string[]): ChannelProtocol {
  for (const name of offered) {
    const known = protocols[name];
    if (known !== undefined) return known;
  }
  return oldest;
}

/** A message of a stream. */
export function messageOf({ isText }: ChannelProtocol, number: number, data: string): Uint8Array {
  if (isText) return Buffer.from(`${number}${Buffer.from(data).toString('base64')}`);
  return Buffer.concat([Uint8Array.of(number), Buffer.from(data)]);
}

/** What a client has sent: a stream's number, and its bytes. */
export function partsOf({ isText }: ChannelProtocol, message: Uint8Array): readonly [number, Uint8Array] {
  const [first = 0] = message;
  const rest = message.subarray(1);
  if (!isText) return [first, rest];
  return [Number(String.fromCharCode(first)), Buffer.from(Buffer.from(rest).toString('latin1'), 'base64')];
}
