/** Whether the object is being deleted. */
export function isTerminating(object: { readonly metadata: object }): boolean {
  return 'deletionTimestamp' in object.metadata && object.metadata.deletionTimestamp !== undefined;
}
