/** A text of JSON deeper than this is no object of Kubernetes; every reader of it may then call itself for each level. */
const deepest = 500;
/** What a value takes in memory at least, beside its text: `{}` is two bytes as text. */
const valueBytes = 64;

const [quote, backslash, comma, colon, openList, closeList, openObject, closeObject] = Array.from('"\\,:[]{}', (sign) =>
  sign.charCodeAt(0),
);

/** What a text in JSON takes in memory once it is parsed, in bytes, at most about. Throws a `RangeError` where it is nested too deeply to be read. */
export function weighJson(text: Uint8Array): number {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === quote) at = endOfString(text, at);
    else if (sign === comma || sign === colon) values += 1;
    else if (sign === openList || sign === openObject) {
      values += 1;
      depth += 1;
      if (depth > deepest) throw new RangeError(`it is nested deeper than ${deepest} levels`);
    } else if (sign === closeList || sign === closeObject) depth -= 1;
  }
  return text.length + valueBytes * values;
}

function endOfString(text: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
  return at;
}
