const ofAtom = String.raw`[A-Za-z0-9!#$%&'*+\-/=?^_\x60{|}~\u0080-\uffff]`;
const atom = `${ofAtom}+`;
const dotAtom = `${atom}(?:\\.${atom})*`;
const quoted = String.raw`"(?:[^"\\\r\n]|\\[\x20-\x7e\t])*"`;
const domainLiteral = String.raw`\[[^\[\]\\\s]+\]`;
const address = `(?:${dotAtom}|${quoted})@(?:${dotAtom}|${domainLiteral})`;
const space = String.raw`[ \t]*`;
const comment = String.raw`(?:\([^()]*\)[ \t]*)*`;
// A word ends where no word could go on: read in one way only, a text that is no phrase is refused after one pass.
const word = `${atom}(?!${ofAtom})(?:\\.${atom}(?!${ofAtom}))*\\.?(?!${ofAtom})`;
const phrase = `(?:(?:${word}|${quoted})${space})*`;
const bare = new RegExp(`^${space}${comment}${address}${space}${comment}$`);
const named = new RegExp(`^${space}${comment}${phrase}<${space}${address}${space}>${space}${comment}$`);

/** An address that Go's `mail.ParseAddress` reads: `a@b`, `"a b"@c`, `Name <a@b>`. */
export function isEmail(text: string): boolean {
  return bare.test(text) || named.test(text);
}
