import { protectClusters } from '../../src/kv-store-cluster/disruption.ts';
import { serveGate } from '../world/serve-gate.ts';

/** The gate that an operator of clusters answers with. */
export const serveStoreGate = serveGate({ controller: 'kv-store-cluster', protect: protectClusters });
