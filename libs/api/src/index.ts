/** The four kinds: their types and descriptors. Typed clients are in `@ordinal/api/clients`. */
export * from './generated/cache.my.domain/v1/clusteredcache.ts';
export * from './generated/db.example.com/v1/clouddatabase.ts';
export * from './generated/kvstore.example.com/v1/kvstorecluster.ts';
export * from './generated/statefulsets.example.com/v1alpha1/monitoredstatefulset.ts';
