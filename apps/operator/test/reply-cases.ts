/** A reply as raw bytes, and what a client has to make of it. */
export interface ReplyCase {
  readonly what: string;
  readonly bytes: string;
  readonly verdict: 'accept' | 'refuse';
  /** Where it is said: RFC 9112 unless another is named. */
  readonly section: string;
  /** What undici refuses although the RFC has a client take it. */
  readonly laxerThanUndici?: string;
}

const ok = 'HTTP/1.1 200 OK\r\n';
const five = 'content-length: 5\r\n\r\nhello';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const end = '0\r\n\r\n';

type Row = readonly [what: string, bytes: string, section: string, laxerThanUndici?: string];

const accepted: readonly Row[] = [
  ['a length', `${ok}${five}`, '6.2'],
  ['no body', `${ok}content-length: 0\r\n\r\n`, '6.2'],
  ['a length with zeros in front', `${ok}content-length: 005\r\n\r\nhello`, '6.2'],
  ['spaces around a value', `${ok}a: \t b \t\r\n${five}`, '5.1'],
  ['no space before a value', `${ok}content-length:5\r\n\r\nhello`, '5.1'],
  ['an empty value', `${ok}a:\r\n${five}`, '5.1'],
  ['a tab in a value', `${ok}a: b\tc\r\n${five}`, '5.5 of RFC 9110'],
  ['bytes over 127 in a value', `${ok}a: \xe4\r\n${five}`, '5.5 of RFC 9110'],
  ['a name in capitals', `${ok}CONTENT-LENGTH: 5\r\n\r\nhello`, '5.1 of RFC 9110'],
  ['a name of all signs', `${ok}!#$%&'*+-.^_\`|~0a: b\r\n${five}`, '5.6.2 of RFC 9110'],
  ['no reason', `HTTP/1.1 200 \r\n${five}`, '4'],
  ['a reason of several words', `HTTP/1.1 200 It went well\r\n${five}`, '4'],
  ['HTTP/1.0', `HTTP/1.0 200 OK\r\n${five}`, '2.3'],
  ['a body until the end', `${ok}\r\nhello`, '6.3'],
  ['chunks', `${chunked}5\r\nhello\r\n${end}`, '7.1'],
  ['chunks by capitals', `${ok}Transfer-Encoding: Chunked\r\n\r\nA\r\n0123456789\r\n${end}`, '7.1'],
  ['a size with zeros in front', `${chunked}0005\r\nhello\r\n${end}`, '7.1'],
  ['no chunk but the last', `${chunked}${end}`, '7.1'],
  ['several zeros at the end', `${chunked}5\r\nhello\r\n000\r\n\r\n`, '7.1'],
  ['a chunk extension', `${chunked}5;a=b\r\nhello\r\n${end}`, '7.1.1'],
  ['a chunk extension in quotes', `${chunked}5;a="b c"\r\nhello\r\n${end}`, '7.1.1'],
  ['a trailer', `${chunked}5\r\nhello\r\n0\r\na: b\r\n\r\n`, '7.1.2'],
  ['no content', 'HTTP/1.1 204 No Content\r\n\r\n', '6.3'],
  ['a note before the answer', `HTTP/1.1 103 Early Hints\r\na: b\r\n\r\n${ok}${five}`, '15.2 of RFC 9110'],
  [
    'a continuation before the answer',
    `HTTP/1.1 100 Continue\r\n\r\n${ok}${five}`,
    '15.2 of RFC 9110',
    'a client has to take any 1xx, though it expects none',
  ],
];

const refused: readonly Row[] = [
  ['a bare LF behind the status', `HTTP/1.1 200 OK\n${five}`, '2.2'],
  ['bare LFs all over', 'HTTP/1.1 200 OK\ncontent-length: 5\n\nhello', '2.2'],
  ['a bare LF behind a header', `${ok}a: b\n${five}`, '2.2'],
  ['a bare LF in front of the body', `${ok}content-length: 5\r\n\nhello`, '2.2'],
  ['a bare CR in a value', `${ok}a: b\rc\r\n${five}`, '2.2'],
  ['a bare CR in a reason', `HTTP/1.1 200 O\rK\r\n${five}`, '2.2'],
  ['a bare CR behind a header', `${ok}a: b\r${five}`, '2.2'],
  ['NUL in a value', `${ok}a: b\0c\r\n${five}`, '5.5 of RFC 9110'],
  ['NUL in a name', `${ok}a\0: b\r\n${five}`, '5.1 of RFC 9110'],
  ['NUL in a reason', `HTTP/1.1 200 O\0K\r\n${five}`, '4'],
  ['another control character in a value', `${ok}a: \x01\r\n${five}`, '5.5 of RFC 9110'],
  ['DEL in a value', `${ok}a: \x7f\r\n${five}`, '5.5 of RFC 9110'],
  ['a vertical tab before a length', `${ok}content-length:\x0b5\r\n\r\nhello`, '5.1'],
  ['a hard space before a length', `${ok}content-length: \xa05\r\n\r\nhello`, '5.1'],
  ['a hard space behind chunks', `${ok}transfer-encoding: chunked\xa0\r\n\r\n5\r\nhello\r\n${end}`, '5.1'],
  ['a space before the colon', `${ok}content-length : 5\r\n\r\nhello`, '5.1'],
  ['a tab before the colon', `${ok}a\t: b\r\n${five}`, '5.1'],
  ['a space in a name', `${ok}a b: c\r\n${five}`, '5.1'],
  ['no name', `${ok}: b\r\n${five}`, '5.1'],
  ['no colon', `${ok}a\r\n${five}`, '5.1'],
  ['a name with a bracket', `${ok}a(b): c\r\n${five}`, '5.6.2 of RFC 9110'],
  ['a name with a byte over 127', `${ok}\xe4: c\r\n${five}`, '5.6.2 of RFC 9110'],
  ['a folded value', `${ok}a: b\r\n c\r\n${five}`, '5.2'],
  ['a fold by a tab', `${ok}a: b\r\n\tc\r\n${five}`, '5.2'],
  ['a first header that begins with a space', `${ok} a: b\r\n${five}`, '2.2'],
  ['a space in front of the version', ` HTTP/1.1 200 OK\r\n${five}`, '4'],
  ['an empty line in front', `\r\n${ok}${five}`, '4'],
  ['two spaces before the status', `HTTP/1.1  200 OK\r\n${five}`, '4'],
  ['a tab before the status', `HTTP/1.1\t200 OK\r\n${five}`, '4'],
  ['a status of two digits', `HTTP/1.1 20 OK\r\n${five}`, '4'],
  ['a status of four digits', `HTTP/1.1 2000 OK\r\n${five}`, '4'],
  ['a status that is no number', `HTTP/1.1 2x0 OK\r\n${five}`, '4'],
  ['a status that begins with zero', `HTTP/1.1 099 OK\r\n${five}`, '15 of RFC 9110'],
  ['a version in small letters', `http/1.1 200 OK\r\n${five}`, '2.3'],
  ['version 2.0', `HTTP/2.0 200 OK\r\n${five}`, '2.3'],
  ['version 1.10', `HTTP/1.10 200 OK\r\n${five}`, '2.3'],
  ['another protocol', 'ICY 200 OK\r\n\r\n', '2.3'],
  ['a length with plus', `${ok}content-length: +5\r\n\r\nhello`, '6.3'],
  ['a length with minus', `${ok}content-length: -5\r\n\r\nhello`, '6.3'],
  ['a length in hexadecimal', `${ok}content-length: 0x5\r\n\r\nhello`, '6.3'],
  ['a length with a point', `${ok}content-length: 5.0\r\n\r\nhello`, '6.3'],
  ['an empty length', `${ok}content-length:\r\n\r\nhello`, '6.3'],
  ['a length with a space in it', `${ok}content-length: 5 5\r\n\r\nhello`, '6.3'],
  ['a list of the same length', `${ok}content-length: 5, 5\r\n\r\nhello`, '6.3'],
  ['the same length twice', `${ok}content-length: 5\r\ncontent-length: 5\r\n\r\nhello`, '6.3'],
  ['two lengths', `${ok}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`, '6.3'],
  ['a length over 2^64', `${ok}content-length: 18446744073709551621\r\n\r\nhello`, '6.3'],
  ['a length and chunks', `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n${end}`, '6.3'],
  ['chunks and a length', `${ok}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n5\r\nhello\r\n${end}`, '6.3'],
  ['chunks twice', `${ok}transfer-encoding: chunked, chunked\r\n\r\n5\r\nhello\r\n${end}`, '6.1'],
  ['a coding that is not known', `${ok}transfer-encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n${end}`, '6.1'],
  ['chunks that are not the last coding', `${ok}transfer-encoding: chunked, gzip\r\n\r\n5\r\nhello\r\n${end}`, '6.3'],
  ['an empty coding', `${ok}transfer-encoding:\r\n\r\n5\r\nhello\r\n${end}`, '6.1'],
  ['chunks in HTTP/1.0', `HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n${end}`, '6.1'],
  ['a size with 0x', `${chunked}0x5\r\nhello\r\n${end}`, '7.1'],
  ['a size with a sign', `${chunked}+5\r\nhello\r\n${end}`, '7.1'],
  ['a size with a space in front', `${chunked} 5\r\nhello\r\n${end}`, '7.1'],
  ['a size with a space behind', `${chunked}5 \r\nhello\r\n${end}`, '7.1'],
  ['an empty size', `${chunked}\r\nhello\r\n${end}`, '7.1'],
  ['a size over 2^64', `${chunked}fffffffffffffffff\r\nhello\r\n${end}`, '7.1'],
  ['a size with a bare LF', `${chunked}5\nhello\r\n${end}`, '7.1'],
  ['a chunk that is longer than its size', `${chunked}4\r\nhello\r\n${end}`, '7.1'],
  ['a chunk that ends with a bare LF', `${chunked}5\r\nhello\n${end}`, '7.1'],
  ['an extension without a name', `${chunked}5;=b\r\nhello\r\n${end}`, '7.1.1'],
  ['an extension with a control character', `${chunked}5;a=\x01\r\nhello\r\n${end}`, '7.1.1'],
  ['an extension with a bare LF', `${chunked}5;a\nb\r\nhello\r\n${end}`, '7.1.1'],
  ['an extension with a bare CR', `${chunked}5;a\rb\r\nhello\r\n${end}`, '7.1.1'],
  ['an extension over 1 KiB', `${chunked}5;${'a'.repeat(20_000)}\r\nhello\r\n${end}`, '7.1.1'],
  ['a trailer without a colon', `${chunked}5\r\nhello\r\n0\r\na\r\n\r\n`, '7.1.2'],
  ['a trailer with a space in its name', `${chunked}5\r\nhello\r\n0\r\na b: c\r\n\r\n`, '7.1.2'],
  ['a trailer with NUL', `${chunked}5\r\nhello\r\n0\r\na: \0\r\n\r\n`, '7.1.2'],
  ['a trailer with a bare LF', `${chunked}5\r\nhello\r\n0\r\na: b\nc: d\r\n\r\n`, '7.1.2'],
  ['a folded trailer', `${chunked}5\r\nhello\r\n0\r\na: b\r\n c\r\n\r\n`, '7.1.2'],
  ['a length in a trailer', `${chunked}5\r\nhello\r\n0\r\ncontent-length: 5\r\n\r\n`, '6.5.1 of RFC 9110'],
  ['trailers over 64 KiB', `${chunked}5\r\nhello\r\n0\r\n${`a: ${'b'.repeat(1000)}\r\n`.repeat(80)}\r\n`, '7.1.2'],
  ['a head over 64 KiB', `${ok}${`a: ${'b'.repeat(1000)}\r\n`.repeat(80)}${five}`, '5.4 of RFC 9110'],
  ['an upgrade that was not asked for', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n', '7.8 of RFC 9110'],
  ['notes without an end', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100), '15.2 of RFC 9110'],
  ['the end in the middle of a head', 'HTTP/1.1 200 OK\r\ncontent-', '8'],
  ['the end in the middle of a body', `${ok}content-length: 6\r\n\r\nhello`, '8'],
  ['the end in the middle of a chunk', `${chunked}6\r\nhello`, '8'],
  ['the end before the last chunk', `${chunked}5\r\nhello\r\n`, '8'],
  ['the end before the end of trailers', `${chunked}5\r\nhello\r\n0\r\n`, '8'],
];

const of =
  (verdict: ReplyCase['verdict']) =>
  ([what, bytes, section, laxer]: Row): ReplyCase => ({
    what,
    bytes,
    verdict,
    section,
    ...(laxer === undefined ? {} : { laxerThanUndici: laxer }),
  });

/** Replies of all sorts. A client that takes one of the refused can be led to another body than its server has sent. */
export const replyCases: readonly ReplyCase[] = [...accepted.map(of('accept')), ...refused.map(of('refuse'))];
