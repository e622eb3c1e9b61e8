import type { Case, Json } from '../case.ts';
import { claim, paths, pod } from './objects.ts';

const path = '/api/v1/namespaces/:ns/limitranges';
const range = (name: string, ...limits: readonly Json[]): Json => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name },
  spec: { limits },
});

const refused: Readonly<Record<string, readonly Json[]>> = {
  'a type that there is not': [{ type: 'Thing', max: { cpu: '1' } }],
  'a type that is none': [{ type: 'a b', max: { cpu: '1' } }],
  'a type twice': [
    { type: 'Pod', max: { cpu: '1' } },
    { type: 'Pod', max: { cpu: '1' } },
  ],
  'a name that containers have not': [{ type: 'Container', max: { pods: '1' } }],
  'a name that there is not': [{ type: 'Pod', max: { thing: '1' } }],
  'a default of pods': [{ type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }],
  'a claim without bounds': [{ type: 'PersistentVolumeClaim', max: { cpu: '1' } }],
  'more than the most': [{ type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }],
  'a default beyond the most': [
    { type: 'Container', default: { cpu: '2' }, defaultRequest: { cpu: '1' }, max: { cpu: '1' } },
  ],
  'a request beyond the limit': [{ type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '2' } }],
  'a request below the least': [{ type: 'Container', defaultRequest: { cpu: '1' }, min: { cpu: '2' } }],
  'a ratio below one': [{ type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } }],
  'a ratio that can not be': [
    { type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } },
  ],
};

const sized = (name: string, resources: Json, more: Json = {}): Json =>
  pod(name, { containers: [{ name: 'main', image: 'app:1', resources }], ...more });

/** Limit ranges as objects, and what the server gives and refuses because of them. */
export const limitRangeCases: readonly Case[] = [
  ...Object.entries(refused).map(([name, limits]): Case => ({
    name: `limit ranges: refused with ${name}`,
    body: async (s) => void (await s.create(path, range('a', ...limits))),
  })),
  {
    name: 'limit ranges: what is not given; create, change, table',
    async body(s) {
      await s.create(path, range('a', { type: 'Container', max: { cpu: '2' }, min: { cpu: '0.1', memory: '1Mi' } }));
      await s.create(path, range('b', { type: 'Container', default: { cpu: '1' }, min: { cpu: '0.5' } }));
      await s.update(`${path}/c`, range('c', { type: 'Pod', max: { cpu: '1' } }));
      await s.merge(`${path}/b`, { spec: { limits: [{ type: 'Pod', max: { memory: '1Gi' } }] } });
      await s.table(path);
      await s.delete(`${path}/c`);
    },
  },
  {
    name: 'limit ranges: containers get requests and limits',
    async body(s) {
      const limits = { default: { cpu: '1', memory: '1Gi' }, defaultRequest: { cpu: '100m' } };
      await s.create(path, range('a', { type: 'Container', ...limits }));
      await s.create(paths.pods, pod('none'));
      await s.create(paths.pods, sized('some', { requests: { memory: '2Mi' }, limits: { cpu: '2' } }));
      const initContainers = [{ name: 'first', image: 'app:1' }];
      await s.create(
        paths.pods,
        sized('all', { requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Gi' } }, { initContainers }),
      );
      await s.merge(`${paths.pods}/none`, { metadata: { labels: { a: 'b' } } });
    },
  },
  {
    name: 'limit ranges: pods and containers with too little and too much',
    async body(s) {
      await s.create(
        path,
        range(
          'a',
          { type: 'Pod', max: { memory: '1Gi' } },
          {
            type: 'Container',
            min: { 'example.com/gpu': '2' },
            max: { cpu: '1' },
            defaultRequest: { cpu: '0.1', 'example.com/gpu': '3' },
            default: { 'example.com/gpu': '3' },
          },
        ),
      );
      const gpu = { 'example.com/gpu': '2' };
      await s.create(paths.pods, sized('less', { limits: { 'example.com/gpu': '1', memory: '1Gi' } }));
      await s.create(paths.pods, sized('more', { limits: { ...gpu, cpu: '2', memory: '2Gi' } }));
      await s.create(paths.pods, sized('right', { limits: { ...gpu, memory: '1Gi' } }));
    },
  },
  {
    name: 'pods: what containers ask for and are limited to',
    async body(s) {
      const wrong: readonly Json[] = [
        { limits: { things: '1' } },
        { requests: { 'example.com/gpu': '1' } },
        { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '2' } },
        { requests: { cpu: '2' }, limits: { cpu: '1' } },
        { requests: { cpu: '-1' } },
        { limits: { 'example.com/gpu': '1500m' } },
        { limits: { 'hugepages-2Mi': '2Mi' } },
        { requests: { pods: '1' } },
      ];
      for (const [index, resources] of wrong.entries()) await s.create(paths.pods, sized(`p${index}`, resources));
    },
  },
  {
    name: 'limit ranges: how much more than it asks for a container may use',
    async body(s) {
      await s.create(path, range('a', { type: 'Container', maxLimitRequestRatio: { cpu: '2' } }));
      await s.create(paths.pods, pod('none'));
      await s.create(paths.pods, sized('request', { requests: { cpu: '1' } }));
      await s.create(paths.pods, sized('more', { requests: { cpu: '300m' }, limits: { cpu: '1' } }));
      await s.create(paths.pods, sized('right', { requests: { cpu: '500m' }, limits: { cpu: '1' } }));
    },
  },
  {
    name: 'limit ranges: claims',
    async body(s) {
      await s.create(
        path,
        range('a', { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } }),
      );
      for (const [name, storage] of [
        ['less', '1Mi'],
        ['right', '1Gi'],
        ['more', '3Gi'],
      ] as const)
        await s.create(paths.claims, claim(name, { resources: { requests: { storage } } }));
    },
  },
];
