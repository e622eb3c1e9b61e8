/**
 * What two worlds can't agree on: uids, times and resource versions. Each is replaced by a mark; uids keep telling objects apart. And the order in which
 * the real server walks a Go map, which differs from request to request: see `isUnordered`.
 */
export class Mask {
  readonly #uids = new Map<string, string>();

  readonly #hidden = new Map<string, string>();

  /** Replaces a text of the test's own by a mark from now on. */
  hide(text: string, mark: string): void {
    this.#hidden.set(text, mark);
  }

  /** The value with marks in it; `field` is the name of the field that holds it. */
  apply(value: unknown, field = ''): unknown {
    if (typeof value === 'string') return this.#text(value, field);
    if (Array.isArray(value)) return value.map((item) => this.apply(item, field));
    if (typeof value !== 'object' || value === null) return value;
    const known = value as Record<string, unknown>;
    return Object.fromEntries(
      Object.entries(isUnordered(known) ? ordered(known) : known)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([key, entry]) => [this.#uidsIn(key), this.apply(inOrder(entry, known), key)]),
    );
  }

  #text(text: string, field: string): string {
    if (field === 'resourceVersion' && text !== '' && text !== '0') return '<version>';
    if (field === 'continue' && text !== '') return '<continue>';
    let shown = withoutGoText(text);
    for (const [own, mark] of this.#hidden) shown = shown.replaceAll(own, mark);
    return this.#uidsIn(shown)
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

/** The rules in an answer to what one may do, in the status with `incomplete`: the real server finds bindings in the order of a Go map. */
const inOrder = (list: unknown, { incomplete }: Record<string, unknown>): unknown =>
  Array.isArray(list) && incomplete !== undefined
    ? list.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
    : list;

interface Cause {
  readonly reason?: string;
  readonly message?: string;
}

interface Details {
  readonly group?: string;
  readonly causes?: readonly Cause[];
}

/**
 * Whether a Status lists its causes in the order of a Go map. Conflicts of an apply come by manager, from a map (structured-merge-diff,
 * `ConflictsFromManagers`); mistakes in custom objects come by field, from a map (kube-openapi, `objectValidator.Validate`).
 */
function isUnordered({ kind, details }: Record<string, unknown>): boolean {
  if (kind !== 'Status' || typeof details !== 'object' || details === null) return false;
  const { group = '', causes = [] } = details as Details;
  const isCustom = group.includes('.') && !group.endsWith('.k8s.io');
  return isCustom || causes.some(({ reason }) => reason === 'FieldManagerConflict');
}

function ordered(status: Record<string, unknown>): Record<string, unknown> {
  const details = status['details'] as Details;
  const byManager = details.causes?.some(({ reason }) => reason === 'FieldManagerConflict') === true;
  // Each manager's own conflicts keep their order.
  const keyOf = (cause: Cause): string => (byManager ? (cause.message ?? '') : JSON.stringify(cause));
  const causes = [...(details.causes ?? [])].sort((left, right) =>
    keyOf(left) < keyOf(right) ? -1 : keyOf(left) > keyOf(right) ? 1 : 0,
  );
  return {
    ...status,
    ...(typeof status['message'] === 'string' && { message: sortedList(status['message']) }),
    details: { ...details, ...(details.causes !== undefined && { causes }) },
  };
}

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
