/** How much of a Job's output is kept, in characters: it stands in a status and in a condition. */
const keptLength = 1024;

/** How many lines of it are kept. */
const keptLines = 10;

/**
 * What looks like a secret: a value after a word or a flag such as `password` or `--token`, credentials in a URL, a bearer token, an authorization header, a signed token, a private
 * key, an access key id.
 * It is better to blot out too much; the whole output stands in the pod's log for those who may read it.
 */
const secrets: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, '[private key]'],
  // Its beginning may be among the lines that were not read.
  [/^[\s\S]*-----END [A-Z ]*PRIVATE KEY-----/, '[private key]'],
  [
    // A quote may be escaped: an answer in JSON, in a line of a log in JSON.
    /(\b[\w.-]{0,64}(?:password|passwd|passphrase|secret|token|credentials?|api[-_]?key|access[-_]?key)\b\\{0,8}["']?\s{0,8}[=:]\s{0,8})(\\{0,8}"[^"]*"|'[^']*'|\S+)/gi,
    '$1[hidden]',
  ],
  [
    /((?:^|\s)--?[\w-]{0,64}(?:password|passwd|passphrase|secret|token|credentials?|api-?key|access-?key)[ \t]{1,8})("[^"]*"|'[^']*'|\S+)/gim,
    '$1[hidden]',
  ],
  [/\beyJ[\w-]{4,}(?:\.[\w-]+)*/g, '[hidden]'],
  [/(\b(?:bearer|basic)\s+)[\w.~+/=-]{8,}/gi, '$1[hidden]'],
  [
    /(\bauthorization\\{0,8}["']?\s{0,8}[=:]\s{0,8})(?!\\{0,8}["']?(?:bearer|basic)\s)(\\{0,8}"[^"]*"|'[^']*'|\S+)/gi,
    '$1[hidden]',
  ],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, '[hidden]'],
];

/**
 * Credentials in a URL. What no `@` follows is taken in too, and left as it is: a search that went on behind its first sign would pass the same text for each URL
 * that it begins.
 */
const credentials = /(\/\/[^\s/:@]{0,256}:)[^\s@]+(@?)/g;

/** What sets a terminal's colors and title: `ESC [ … letter`, and `ESC ] …` up to the next control character. */
const terminalSequences = /[^\P{Cc}\t\n\r](?:\[[0-?]*[ -/]*[@-~]|\][^\p{Cc}]*(?:[^\P{Cc}\t\n\r]\\?)?)/gu;

/** All but the tab and the line feed. */
const controlCharacters = /[^\P{Cc}\t\n]/gu;

/** A text without any of these has nothing that is taken out. Most texts are so, and to look for all shapes in each was most of the work of the flight recorder. */
const suspicious = /pass|secret|token|credential|key|eyJ|bearer|basic|authorization|AKIA|ASIA|\/\/|[^\P{Cc}\t\n]/iu;

/**
 * A text of others, such as an output or a container's last message, without what looks like a secret, and without control characters but the tab and the line feed.
 * Not bounded: who shows it cuts it afterwards, since a secret must not survive because its beginning or its end was cut off. Pure; takes time in proportion to the text.
 */
export function redactedText(text: string): string {
  if (!suspicious.test(text)) return text;
  // Taken out first: a color between a word and its value must not hide that they belong together.
  const readable = text.replace(terminalSequences, '').replace(controlCharacters, '');
  const clean = secrets.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), readable);
  return clean.replace(credentials, (whole: string, start: string, at: string) =>
    at === '' ? whole : `${start}[hidden]@`,
  );
}

/** The last lines of an output, as a discreet text: ten lines and 1,024 characters at most. */
export function boundedOutput(output: string): string {
  const lines = redactedText(output).trimEnd().split('\n').slice(-keptLines);
  return lines.join('\n').slice(-keptLength);
}

/** The last line that says something; undefined where none does. */
export function lastLine(output: string): string | undefined {
  return output.trimEnd().split('\n').at(-1)?.trim() || undefined;
}

/** How much of each part a sentence has, in characters. */
const shownLength = 256;

/** Why a Job has failed, from the message of its record: what the API says of it, and the last line that it has printed; 256 characters of each at most. */
export function causeOfFailure(message = ''): string {
  const [first = '', ...more] = message.split('\n');
  const last = lastLine(more.join('\n'));
  return [first, ...(last === undefined ? [] : [last])].map((part) => part.slice(0, shownLength)).join(': ');
}
