/** A Service in front of the pod of its name. */
export const service = (namespace: string, name: string, port: number): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { selector: { app: name }, ports: [{ port }] },
});
