import { expect, test } from 'vitest';
import { checkAddress, checkEndpoint } from './endpoint-policy.ts';
import type { EndpointPolicy } from './endpoint-policy.ts';

test.each<[string, EndpointPolicy]>([
  ['http://169.254.169.254/latest/meta-data', {}],
  ['http://2852039166/', {}],
  ['http://0xa9fea9fe/', {}],
  ['http://[::ffff:169.254.169.254]/', {}],
  ['http://[64:ff9b::a9fe:a9fe]/', {}],
  ['http://[64:ff9b::127.0.0.1]/', {}],
  ['http://[64:ff9b:1::a9fe:a9fe]/', {}],
  ['http://[64:ff9b:1:a9fe:a9:fe00::]/', {}],
  ['http://[2002:a9fe:a9fe::1]/', {}],
  ['http://[2002:7f00:1::]/', {}],
  ['http://[::169.254.169.254]/', {}],
  ['http://[::127.0.0.1]/', {}],
  ['http://[::ffff:0:169.254.169.254]/', {}],
  ['http://[2001:0:c633:6407:0:0:5601:5601]/', {}],
  ['http://[fe80::5efe:127.0.0.1]/', {}],
  ['http://[2606:4700::5efe:169.254.169.254]/', {}],
  ['http://[2606:4700::200:5efe:a9fe:a9fe]/', {}],
  ['http://[fe80::1]/', {}],
  ['http://[fd00:ec2::254]/', {}],
  ['http://127.0.0.1:8080', {}],
  ['http://0.0.0.0/', {}],
  ['http://user:password@monitor.example.com/', {}],
  ['https://other.example.org', { allowedHosts: ['*.example.com'] }],
  ['https://example.com.evil.org', { allowedHosts: ['example.com'] }],
  ['not a URL', {}],
  ...['ftp', 'file', 'gopher', 'ws', 'wss', 'postgres', 'data', 'javascript', 'unix', 'https+unix'].map(
    (scheme): [string, EndpointPolicy] => [`${scheme}://monitor.example.com/`, {}],
  ),
  ['http://[fd00:ec2::23]/v1/credentials', {}],
  ['http://[fd00:ec2::253]/', {}],
  ['http://[64:ff9b::10.0.0.7]/', {}],
  ['http://[64:ff9b::8.8.8.8]/', {}],
  ['http://[2002:808:808::1]/', {}],
  ['http://[2001:db8::1]/', {}],
  ['http://198.51.100.7/', {}],
  // A translator that may be called leads no further than to what may be called itself.
  ['http://[64:ff9b::169.254.169.254]/', { allowedNetworks: ['64:ff9b::/96'] }],
  // The client's address of Teredo is loopback; that its server is allowed does not count for it.
  ['http://[2001:0:a00:1::80ff:fffe]/', { allowedNetworks: ['2001::/32', '10.0.0.0/8'] }],
])('%s is refused', (endpoint, policy) => {
  expect(() => checkEndpoint(endpoint, policy)).toThrow(
    expect.objectContaining({ code: 'EndpointRefused', retry: 'terminal', applied: 'no' }) as Error,
  );
});

test.each<[string, EndpointPolicy]>([
  ['https://monitor.example.com/api', {}],
  ['https://monitor.example.com./api', { allowedHosts: ['*.example.com'] }],
  ['http://10.0.0.7:8080', {}],
  ['http://127.0.0.1:8080', { allowedNetworks: ['127.0.0.0/8'] }],
  ['http://[2606:4700::1111]/', {}],
  ['http://[fd12:3456::1]/', {}],
  ['http://172.16.0.1/', {}],
  ['http://192.168.0.1/', {}],
  ['http://100.64.0.1/', {}],
  ['http://[64:ff9b::8.8.8.8]/', { allowedNetworks: ['64:ff9b::/96'] }],
  ['http://[2606:4700::5efe:8.8.8.8]/', {}],
  ['http://[::ffff:10.0.0.7]/', {}],
  ['http://[::ffff:127.0.0.1]/', { allowedNetworks: ['127.0.0.0/8'] }],
])('%s is allowed', (endpoint, policy) => {
  expect(checkEndpoint(endpoint, policy)).toBeInstanceOf(URL);
});

test('the address that a name resolves to is checked as well', () => {
  expect(() => checkAddress('169.254.169.254', {})).toThrow('169.254.0.0/16');
  expect(() => checkAddress('8.8.8.8', {})).not.toThrow();
});
