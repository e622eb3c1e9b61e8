import { LineCounter, parseAllDocuments } from 'yaml';
import type { ScalarTag, Tags } from 'yaml';
import type { ReadBody } from './read-body.ts';

/**
 * Reads the first document of a text of YAML, and what Go's library says of keys that are there twice. Throws where the text can't be read, in the words
 * of this side's own library.
 */
export function readYamlText(text: string): ReadBody {
  return jsonIn(text) ?? readDocument(text);
}

/** Most of what calls itself YAML is JSON, which parses a hundred times faster. */
function jsonIn(text: string): ReadBody | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value).length === text.length ? { value, repeated: [] } : undefined;
  } catch {
    // YAML's flow style looks like JSON, and is none; what is nested too deeply has no text.
    return undefined;
  }
}

const booleanTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF|true|True|TRUE|false|False|FALSE)$/,
  resolve: (text) => /^(?:y|on$|t)/i.test(text),
};

const integerTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?(?:0[bB][01_]+|0[oO]?[0-7_]+|0[xX][0-9a-fA-F_]+|[1-9][0-9_]*|0)$/,
  resolve: (text) => {
    const digits = text.replace(/^[-+]/, '').replaceAll('_', '');
    const octal = /^0[oO]?([0-7]+)$/.exec(digits)?.[1];
    const value = octal === undefined ? Number(digits) : parseInt(octal, 8);
    return text.startsWith('-') && value !== 0 ? -value : value;
  },
};

const numberTag: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  test: /^[-+]?(?:\.[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?$/,
  resolve: (text) => Number(text.replaceAll('_', '')),
};

const ownTags: readonly ScalarTag[] = [booleanTag, integerTag, numberTag];

/** Plain words and numbers as Go's library reads them, which goes by YAML 1.1: `yes` and `on` are truth values, `0777` is octal. */
const goTags = (tags: Tags): Tags => [
  ...ownTags,
  ...tags.filter((tag) => typeof tag !== 'object' || !ownTags.some((own) => own.tag === tag.tag)),
];

/** A plain key as Go prints it: what is a number or a truth value has no quotes. */
function shownKey(text: string): string {
  const tag = ownTags.find(({ test }) => test?.test(text));
  return tag === undefined ? `"${text}"` : String(tag.resolve(text, () => undefined, {}));
}

function readDocument(text: string): ReadBody {
  const lineCounter = new LineCounter();
  const [document] = parseAllDocuments(text, { lineCounter, customTags: goTags, merge: true });
  if (document === undefined || !('toJS' in document)) return { value: null, repeated: [] };
  const twice = document.errors.filter(({ code }) => code === 'DUPLICATE_KEY');
  const other = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
  if (other) throw other;
  const repeated = twice.map(({ pos: [from] }) => {
    const [, quoted, plain = ''] = /^(?:"((?:[^"\\]|\\.)*)"|([^\s:]+))/.exec(text.slice(from)) ?? [];
    const key = quoted === undefined ? shownKey(plain) : `"${quoted}"`;
    return `line ${lineCounter.linePos(from).line}: key ${key} already set in map`;
  });
  return { value: document.toJS() as unknown, repeated };
}
