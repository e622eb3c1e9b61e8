/** A DNS record: a host, and the name that it points at. */
export interface DnsRecord {
  readonly host: string;
  readonly target: string;
}

/** A change of the DNS zone, as data: it can be planned and printed without being made. */
export type ZoneCall =
  { readonly verb: 'put'; readonly record: DnsRecord } | { readonly verb: 'delete'; readonly host: string };

/** The DNS zone, which is outside of the cluster. A record that is deleted may still be shown for a while. */
export interface Zone {
  find(host: string, signal: AbortSignal): Promise<DnsRecord | undefined>;
  send(call: ZoneCall, signal: AbortSignal): Promise<void>;
}

/** The zone whose API is at this URL (`zone-server.ts`). */
export function zoneAt(url: string): Zone {
  const exchange = async (host: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(`${url}/records/${host}`, init);
    if (response.ok || response.status === 404) return response;
    throw new Error(`the DNS zone answers ${response.status} to ${init.method ?? 'GET'} ${host}`);
  };
  return {
    find: async (host, signal) => {
      const response = await exchange(host, { signal });
      return response.status === 404 ? undefined : { host, target: await response.text() };
    },
    send: async (call, signal) => {
      if (call.verb === 'delete') await exchange(call.host, { method: 'DELETE', signal });
      else await exchange(call.record.host, { method: 'PUT', body: call.record.target, signal });
    },
  };
}
