/** The annotation whose change asks for a look at once. */
export const reconcileRequestedAnnotation = 'ordinal.dev/reconcile-requested-at';
