/**
 * How secrets look in the text of a log. The shapes follow scanners that others keep. detect-secrets (`plugins/keyword.py`) looks for a telling word within a name, a sign
 * and a value. gitleaks (`config/gitleaks.toml`) knows the prefixes of services' tokens, and takes a long mixed word for a random one. A scanner has to avoid false
 * alarms. A report has not: there is no list here of values that are allowed.
 */
const hidden = '[hidden]';

/** Words within a name that tell of a secret. No more than the word itself: `passed` and `author` tell of none. */
const word = [
  String.raw`pass(?!ed\b|ing\b|es\b|ive\b)(?:word|wd|phrase|code)?`,
  ...[
    'pwd',
    'passwd',
    'secret(?!s\\b)',
    'token(?!s\\b)',
    'credentials?',
    'authorization',
    'cookie',
    'signature',
    'jwt',
  ],
  String.raw`auth[-_]?(?:pass|key|token|string|data|code)`,
  String.raw`(?<=["'_])auth(?=["'])`,
  String.raw`(?:requirepass|(?:master|primary)auth)`,
  String.raw`sess(?:ion)?[-_]?id`,
  // A name that ends so. The word by itself names what a controller works on.
  String.raw`(?<=[a-z0-9][-_.]?)key(?![a-z])`,
  '(?:unseal|recovery|root|api|access|account|private|signing|encryption|license) key(?![a-z])',
].join('|');

/** A value in quotes, where a quote within may be escaped. Its end may be missing. */
const quoted = String.raw`\\{1,8}"[^"\n]*"?|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?`;

const name = String.raw`(?:${word})[\w.-]{0,64}(?: \d{1,2})?\\{0,8}["'\])]{0,2}`;
const sign = String.raw`[ \t]{0,8}(?:=>|->|:=|[=!]={1,2}|[:=])[ \t]{0,8}`;

const expression = (source: string, flags = 'gi'): RegExp => new RegExp(source, flags);

type Shape = readonly [pattern: RegExp, replacement: string];

/** Within one line. */
const lineShapes: readonly Shape[] = [
  // What stands in quotes ends with them; behind a colon a value may have blanks, behind another sign it ends at one.
  [expression(`(${name}${sign})(?:${quoted})`), `$1${hidden}`],
  [expression(String.raw`(${name}[ \t]{0,8}:(?!=)[ \t]{0,8})(?![:"'\\]|//)[^\n]+`), `$1${hidden}`],
  [expression(String.raw`(${name}${sign})(?!["'\\])\S+`), `$1${hidden}`],
  [/(\bsession=)[^\s;"']+/gi, `$1${hidden}`],
  // A list of name and value, an element, words of a command.
  [expression(String.raw`(${name}[\s,]{0,8}\\{0,8}["']?value\\{0,8}["']?${sign})(?:${quoted}|\S+)`), `$1${hidden}`],
  [expression(String.raw`(<[\w:.-]{0,64}(?:${word})[\w:.-]{0,64}[^<>\n]{0,256}>)[^<\n]+`), `$1${hidden}`],
  [
    expression(String.raw`(-[\w-]{0,64}(?:${word})[\w-]{0,64}["']?(?:\s{1,8}|\s{0,8},\s{0,8}))(?:${quoted}|\S+)`),
    `$1${hidden}`,
  ],
  [/(\bpass:)\S+/gi, `$1${hidden}`],
  [
    /(\b(?:mysql|mariadb|mongo|sshpass|sqlcmd|docker|podman|ldap|smbclient)[\w-]{0,32}[^\n]{0,512}?[\s"',]-[pPw][\s"',]{0,4})[^\s"',]+/g,
    `$1${hidden}`,
  ],
  [/(\b(?:redis|valkey|keydb)[\w-]{0,32}[^\n]{0,512}?[\s"',]-a[\s"',]{1,4})[^\s"',]+/g, `$1${hidden}`],
  [/((?:\s|["'])(?:-u|--user|--proxy-user)[\s"',=]{1,4}[^\s:"']{0,128}:)[^\s"']+/g, `$1${hidden}`],
  [/(\b(?:echo|printf) )[^|\n]{1,512}(?=\|)/g, `$1${hidden} `],
  // Redis: its commands and directives take secrets as words.
  [
    /((?:\bAUTH|["']auth["']|\b(?:requirepass|masterauth|primaryauth|auth-pass|setuser)\b)["']?[ \t]+)[^\n]+/g,
    `$1${hidden}`,
  ],
  [/(\buser \S{1,128} (?:on|off) )[^\n]+/g, `$1${hidden}`],
  [/(["'](?:requirepass|masterauth|primaryauth)["'] )[^\n]+/gi, `$1${hidden}`],
  [/(\bSETUSER )[^\n]+/gi, `$1${hidden}`],
  // SQL.
  [
    expression(String.raw`(\bidentified\s[^\n]{0,128}?\b(?:by|as)\s{1,8}(?:password\s{1,8})?)(?:${quoted}|\S+)`),
    `$1${hidden}`,
  ],
  [expression(String.raw`(${name}[ \t]{0,8}\(?[ \t]{0,8})(?:${quoted})`), `$1${hidden}`],
  // Sentences.
  [
    expression(
      String.raw`(\b(?:password|passwd|passphrase|passcode|pwd)[ \t]{1,8}(?:for[ \t]\S{1,64}[ \t](?:\S{1,64}[ \t])?)?(?:(?:is|was|set|reset|changed|now|to|of)[ \t]{1,8}){0,4})(?!auth|fail|for\b|is\b|was\b|not\b)\S+`,
    ),
    `$1${hidden}`,
  ],
  [/(\b(?:password|passphrase|passcode)\b[^\n:]{0,128}:[ \t]{1,8})[^\n]+/gi, `$1${hidden}`],
  [/(\b(?:token|secret)[ \t]{1,8})(?=\S{0,64}\d)\S{8,}/gi, `$1${hidden}`],
  // Addresses. A digest of an image follows an `@`, too.
  [/(\/\/)[^\s/"'<>]{1,512}@/g, `$1${hidden}@`],
  [/(?<![\w/])[\w.%+-]{1,64}:[^\s@/"']{1,256}@(?!sha256:)/g, `${hidden}@`],
  [
    /([?&][\w.-]{0,64}(?:sig|signature|token|key|secret|auth|pass|pwd|code|credential|session|sid|jwt|ticket|hmac)[\w.-]{0,64}=)[^\s&"'#]+/gi,
    `$1${hidden}`,
  ],
  [
    /(\b(?:hooks\.slack\.com|[\w.-]{0,64}webhook\.office\.com|(?:canary\.|ptb\.)?discord(?:app)?\.com\/api\/webhooks)\/)\S+/gi,
    `$1${hidden}`,
  ],
  [/\bbot\d{6,12}:[\w-]{20,}/g, hidden],
  // Tokens of services, by their prefixes, and hashes of passwords.
  [
    /\b(?:gh[pousr]_|github_pat_|gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|sa|c)[-_]|xox[a-z]-|xapp-|[sprw][kh](?:sec)?_(?:live_|test_)?|sk-|AIza|ya29\.|npm_|pypi-|do[opr]_v1_|SG\.|hv[sbr]\.|shp[a-z]{2}_|dckr_pat_|NRAK-|ATATT|figd_|sq0[a-z]{3}-|hf_|lin_api_|PMAK-|AGE-SECRET-KEY-|rubygems_|dapi)[\w.=-]{16,}/g,
    hidden,
  ],
  [/\$(?:2[abxy]?|[156y]|argon2\w{1,2}|pbkdf2[\w-]{0,16})\$[^\s"']+/g, hidden],
  [/\bSCRAM-SHA-\d{1,3}\$[^\s"']+/g, hidden],
  [/\bmd5[0-9a-f]{32}\b/g, hidden],
];

/** A word of this length with capitals, small letters and digits, three of each, is random. Names of Kubernetes, its digests and UIDs have no capitals. */
const mixed = /[\w+/=-]{24,}/g;

const isRandom = (text: string): boolean =>
  [/[A-Z]/g, /[a-z]/g, /\d/g].every((kind) => (text.match(kind)?.length ?? 0) >= 3);

const redactedLine = (line: string): string =>
  lineShapes
    .reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), line)
    .replace(mixed, (found) => (isRandom(found) ? hidden : found));

/** What takes several lines: keys whose beginning or end may be missing, and a value below its name. */
const longShapes: readonly Shape[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY[A-Z ]*-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----|$)/g, '[private key]'],
  [/^[\s\S]*-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----/, '[private key]'],
  [
    expression(String.raw`((?:${word})[^\n:=]{0,64}[:=][ \t]{0,8}[|>][-+]?[ \t]{0,8}\n(?:[ \t]{0,64}\n){0,3})[^\n]+`),
    `$1${hidden}`,
  ],
  [expression(String.raw`((?:${word})[^\n:=]{0,64}[:=][ \t]{0,8}\n(?:[ \t]{0,64}\n){0,3})[^\n]+`), `$1${hidden}`],
];

/** A text of any length without what looks like a secret. It hides too much rather than too little. Pure; takes time in proportion to the text. */
export const withoutSecretShapes = (text: string): string =>
  longShapes
    .reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text)
    .split('\n')
    .map(redactedLine)
    .join('\n');
