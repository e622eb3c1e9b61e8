import type { Client } from '@ordinal/client';
import { clientsOf as cacheClientsOf } from './generated/cache.my.domain/v1/clients.ts';
import type { Clients as CacheClients } from './generated/cache.my.domain/v1/clients.ts';
import { clientsOf as databaseClientsOf } from './generated/db.example.com/v1/clients.ts';
import type { Clients as DatabaseClients } from './generated/db.example.com/v1/clients.ts';
import { clientsOf as kvStoreClientsOf } from './generated/kvstore.example.com/v1/clients.ts';
import type { Clients as KvStoreClients } from './generated/kvstore.example.com/v1/clients.ts';
import { clientsOf as statefulSetClientsOf } from './generated/statefulsets.example.com/v1alpha1/clients.ts';
import type { Clients as StatefulSetClients } from './generated/statefulsets.example.com/v1alpha1/clients.ts';

/** A typed client for each of the four kinds. */
export interface OrdinalClients extends CacheClients, DatabaseClients, KvStoreClients, StatefulSetClients {}

/** The typed clients of the four kinds on one client: `clientsOf(client).clusteredCaches.namespace('shop').get('sessions')`. */
export function clientsOf(client: Client): OrdinalClients {
  return {
    ...cacheClientsOf(client),
    ...databaseClientsOf(client),
    ...kvStoreClientsOf(client),
    ...statefulSetClientsOf(client),
  };
}
