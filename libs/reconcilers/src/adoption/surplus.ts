const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * What the API server fills in where a pod template says nothing, by the name of the field
 * (https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/apis/core/v1/defaults.go). A template that is written without such a field is the same template.
 */
const defaults: Readonly<Record<string, readonly unknown[]>> = {
  apiVersion: ['v1'],
  defaultMode: [420],
  divisor: ['0'],
  dnsPolicy: ['ClusterFirst'],
  expirationSeconds: [3_600],
  failureThreshold: [3],
  fsType: ['ext4', 'xfs'],
  // By the tag of the image.
  imagePullPolicy: ['Always', 'IfNotPresent'],
  path: ['/'],
  periodSeconds: [10],
  protocol: ['TCP'],
  restartPolicy: ['Always'],
  schedulerName: ['default-scheduler'],
  scheme: ['HTTP'],
  service: [''],
  successThreshold: [1],
  terminationGracePeriodSeconds: [30],
  terminationMessagePath: ['/dev/termination-log'],
  terminationMessagePolicy: ['File'],
  timeoutSeconds: [1],
  type: [''],
};

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (isRecord(value) && Object.values(value).every(isEmpty));

const isDefault = (field: string, value: unknown): boolean =>
  isEmpty(value) || defaults[field]?.includes(value) === true;

/** A pod template, or a part of one, without what the API server fills in: what a person would write. */
export function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (!isRecord(value)) return value;
  const written = Object.entries(value).filter(
    ([field, each]) => !isDefault(field, each) && !(field === 'serviceAccount' && value['serviceAccountName'] === each),
  );
  return Object.fromEntries(written.map(([field, each]) => [field, withoutDefaults(each)]));
}

const nameOf = (entry: unknown): unknown => (isRecord(entry) ? entry['name'] : undefined);

/**
 * Where an observed pod template has what a wanted one does not have, although the API server does not fill it in: the path and the value of the first such field; undefined where there is none.
 * To apply what is wanted would take it away, and make the pods again. Entries of lists have to be in the same order: that is a part of the template, too.
 */
export function surplusOf(observed: unknown, wanted: unknown, path = ''): string | undefined {
  if (Array.isArray(observed)) return surplusOfList(observed, Array.isArray(wanted) ? wanted : [], path);
  if (!isRecord(observed)) return undefined;
  const asked = isRecord(wanted) ? wanted : {};
  for (const [field, value] of Object.entries(observed)) {
    const place = path === '' ? field : `${path}.${field}`;
    if (!isEmpty(asked[field])) {
      const surplus = surplusOf(value, asked[field], place);
      if (surplus !== undefined) return surplus;
    } else if (!isDefault(field, value) && !isOlderName(field, asked, value))
      return `${place}: ${JSON.stringify(value)}`;
  }
  return undefined;
}

/** The older name of the service account, which the API server keeps in step. */
const isOlderName = (field: string, asked: Readonly<Record<string, unknown>>, value: unknown): boolean =>
  field === 'serviceAccount' && asked['serviceAccountName'] === value;

function surplusOfList(observed: readonly unknown[], wanted: readonly unknown[], path: string): string | undefined {
  if (observed.length > wanted.length) return `${path}: ${JSON.stringify(observed[wanted.length])}`;
  for (const [index, entry] of observed.entries()) {
    if (nameOf(entry) !== nameOf(wanted[index])) return `${path} in another order`;
    const surplus = surplusOf(entry, wanted[index], `${path}.${index}`);
    if (surplus !== undefined) return surplus;
  }
  return undefined;
}
