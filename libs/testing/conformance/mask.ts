/** What two worlds can't agree on: uids, times and resource versions. Each is replaced by a mark; uids keep telling objects apart. */
export class Mask {
  readonly #uids = new Map<string, string>();

  /** The value with marks in it; `field` is the name of the field that holds it. */
  apply(value: unknown, field = ''): unknown {
    if (typeof value === 'string') return this.#text(value, field);
    if (Array.isArray(value)) {
      const items = value.map((item) => this.apply(item, field));
      // Conflicts come in the order of a Go map, which is random.
      return field === 'causes'
        ? items.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
        : items;
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([key, entry]) => [this.#uidsIn(key), this.apply(entry, key)]),
    );
  }

  #text(text: string, field: string): string {
    if (field === 'resourceVersion' && text !== '' && text !== '0') return '<version>';
    if (field === 'continue' && text !== '') return '<continue>';
    return sortedList(this.#uidsIn(withoutGoText(text)))
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, '<time>')
      .replaceAll(/(resourceVersion|ResourceVersion)([^:]*): (\d+)/g, '$1$2: <version>')
      .replaceAll(/(ResourceVersion in (?:the precondition|record)) \(\d+\)/g, '$1 (<version>)')
      .replaceAll(/(too old resource version: )\d+ \(\d+\)/g, '$1<version>');
  }

  #uidsIn(text: string): string {
    return text.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, (uid) => {
      let mark = this.#uids.get(uid);
      if (mark === undefined) {
        mark = `<uid ${this.#uids.size + 1}>`;
        this.#uids.set(uid, mark);
      }
      return mark;
    });
  }
}

/** Several mistakes are listed in the order of a Go map, which is random. */
function sortedList(text: string): string {
  const match = /^(.* is invalid: \[)(.*)(\])$/s.exec(text);
  if (!match) return text;
  const parts = (match[2] ?? '').split(/, (?=[\w.<>[\]]+: (?:Invalid|Required|Unsupported|Duplicate|Too|Forbidden))/);
  return `${match[1] ?? ''}${parts.sort().join(', ')}${match[3] ?? ''}`;
}

/** Texts that only Go's own printing of its internal types could repeat: a whole patched object, the differences of two claims. */
function withoutGoText(text: string): string {
  return text
    .replace(/(patch: Invalid value: |^Invalid value: )"\{(?:[^"\\]|\\.)*\}"/s, '$1<object>')
    .replace(/(for bound claims)\n@@.*?(\]?)$/s, '$1$2');
}
