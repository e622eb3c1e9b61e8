/** A network that is not called unless the operator's settings allow it. */
export interface RefusedNetwork {
  readonly network: string;
  /** What is there. */
  readonly name: string;
  /** Who says so. */
  readonly source: string;
}

const special4 = 'IANA IPv4 Special-Purpose Address Registry';
const special6 = 'IANA IPv6 Special-Purpose Address Registry';
const space6 = 'IANA IPv6 Address Space Registry';

const row = (network: string, name: string, source: string): RefusedNetwork => ({ network, name, source });

/** Where clouds tell a machine its credentials, as far as it is not link-local anyway. */
const metadata: readonly RefusedNetwork[] = [
  row('100.100.100.200/32', 'metadata of Alibaba Cloud', 'Alibaba Cloud ECS: Instance metadata'),
  row('168.63.129.16/32', 'platform services of Azure', 'Azure Virtual Network: What is IP address 168.63.129.16'),
  row('192.0.0.192/32', 'metadata of Oracle Cloud Classic', 'Oracle Cloud Classic: Retrieving Instance Metadata'),
  row(
    'fd00:ec2::/32',
    'services of AWS on the instance',
    'Amazon EC2 and EKS: fd00:ec2::254 metadata, ::253 DNS, ::123 time, ::23 Pod Identity',
  ),
  row('fd20:ce::254/128', 'metadata of Google Cloud', 'Google Compute Engine: VM metadata on IPv6-only instances'),
  row('fd00:c1::a9fe:a9fe/128', 'metadata of Oracle Cloud', 'Oracle Cloud Infrastructure: Instance Metadata Service'),
  row('fd00:42::42/128', 'metadata of Scaleway', 'cloud-init: Scaleway datasource'),
  row('fd00:a9fe:a9fe::1/128', 'metadata of Akamai', 'cloud-init: Akamai datasource'),
  row('fd00:100::100:200/128', 'metadata of Alibaba Cloud', 'Alibaba Cloud ECS: Instance metadata'),
];

/**
 * The special-purpose addresses of IPv4 but for private networks (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16: RFC 1918) and shared address space
 * (100.64.0.0/10: RFC 6598, which clusters give to pods): monitors and databases live there.
 */
const ofIPv4: readonly RefusedNetwork[] = [
  row('0.0.0.0/8', 'this network', `RFC 791, RFC 1122; ${special4}`),
  row('127.0.0.0/8', 'loopback', `RFC 1122; ${special4}`),
  row('169.254.0.0/16', 'link-local, with the metadata of most clouds', `RFC 3927; ${special4}`),
  row('192.0.0.0/24', 'IETF protocol assignments', `RFC 6890; ${special4}`),
  row('192.0.2.0/24', 'documentation', `RFC 5737; ${special4}`),
  row('192.31.196.0/24', 'AS112', `RFC 7535; ${special4}`),
  row('192.52.193.0/24', 'AMT', `RFC 7450; ${special4}`),
  row('192.88.99.0/24', '6to4 relays of the past', `RFC 7526; ${special4}`),
  row('192.175.48.0/24', 'AS112', `RFC 7534; ${special4}`),
  row('198.18.0.0/15', 'benchmarking', `RFC 2544; ${special4}`),
  row('198.51.100.0/24', 'documentation', `RFC 5737; ${special4}`),
  row('203.0.113.0/24', 'documentation', `RFC 5737; ${special4}`),
  row('224.0.0.0/4', 'multicast', 'RFC 5771; IANA IPv4 Multicast Address Space Registry'),
  row('240.0.0.0/4', 'reserved, with the broadcast address', `RFC 1112, RFC 919; ${special4}`),
];

/**
 * Everything of IPv6 that is neither global unicast (2000::/3) nor unique local (fc00::/7: RFC 4193, where monitors and databases live), and what is special
 * in these two. IPv4-mapped addresses (::ffff:0:0/96) are taken for the IPv4 addresses that sockets take them for.
 */
const ofIPv6: readonly RefusedNetwork[] = [
  row('::/128', 'unspecified', `RFC 4291; ${special6}`),
  row('::1/128', 'loopback', `RFC 4291; ${special6}`),
  row('64:ff9b::/96', 'NAT64', `RFC 6052; ${special6}`),
  row('64:ff9b:1::/48', 'NAT64 of one’s own', `RFC 8215; ${special6}`),
  row('100::/64', 'discard-only', `RFC 6666; ${special6}`),
  row('100:0:0:1::/64', 'dummy prefix', `RFC 9780; ${special6}`),
  row('2001::/23', 'IETF protocol assignments: Teredo, benchmarking, ORCHID and others', `RFC 2928; ${special6}`),
  row('2001:db8::/32', 'documentation', `RFC 3849; ${special6}`),
  row('2002::/16', '6to4', `RFC 3056; ${special6}`),
  row('2620:4f:8000::/48', 'AS112', `RFC 7534; ${special6}`),
  row('3fff::/20', 'documentation', `RFC 9637; ${special6}`),
  row('5f00::/16', 'segment routing', `RFC 9602; ${special6}`),
  row('::/8', 'reserved', `RFC 4291; ${space6}`),
  row('100::/8', 'reserved', `RFC 4291; ${space6}`),
  row('200::/7', 'reserved', `RFC 4048; ${space6}`),
  row('400::/6', 'reserved', `RFC 4291; ${space6}`),
  row('800::/5', 'reserved', `RFC 4291; ${space6}`),
  row('1000::/4', 'reserved', `RFC 4291; ${space6}`),
  row('4000::/3', 'reserved', `RFC 4291; ${space6}`),
  row('6000::/3', 'reserved', `RFC 4291; ${space6}`),
  row('8000::/3', 'reserved', `RFC 4291; ${space6}`),
  row('a000::/3', 'reserved', `RFC 4291; ${space6}`),
  row('c000::/3', 'reserved', `RFC 4291; ${space6}`),
  row('e000::/4', 'reserved', `RFC 4291; ${space6}`),
  row('f000::/5', 'reserved', `RFC 4291; ${space6}`),
  row('f800::/6', 'reserved', `RFC 4291; ${space6}`),
  row('fe00::/9', 'reserved', `RFC 4291; ${space6}`),
  row('fe80::/10', 'link-local', `RFC 4291; ${special6}`),
  row('fec0::/10', 'site-local addresses of the past', `RFC 3879; ${space6}`),
  row('ff00::/8', 'multicast', `RFC 4291; ${space6}`),
];

/** All of them; where several contain an address, the first one says best what it is. */
export const refusedNetworks: readonly RefusedNetwork[] = [...metadata, ...ofIPv4, ...ofIPv6];
