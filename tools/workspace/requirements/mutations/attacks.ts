import type { SectionMutations } from '../mutation.ts';

/** Each defense against an attack, taken out: the rows of the section by the attack's number. */
export const attacks: SectionMutations = {
  section: 'attacks',
  mutations: [
    {
      claim:
        '1a: a spec that runs Jobs which its author may not run, in an object that carries `deletionTimestamp` from its creation',
      file: 'libs/constructs/src/install/webhooks.ts',
      find: "expression: 'oldObject == null || object.spec != oldObject.spec'",
      replace:
        "expression: '!has(object.metadata.deletionTimestamp) && (oldObject == null || object.spec != oldObject.spec)'",
    },
    {
      claim: '1b: the same spec, patched into an object that is being deleted',
      file: 'apps/operator/src/webhooks/author.ts',
      find: 'if (object === null || specOf(object) === specOf(oldObject)) return undefined;',
      replace:
        'if (object === null || object.metadata.deletionTimestamp !== undefined || specOf(object) === specOf(oldObject)) return undefined;',
    },
    {
      claim: '1b: a spec that asks for Jobs, of an author who may create StatefulSets only',
      file: 'apps/operator/src/webhooks/author.ts',
      find: 'for (const created of creates) {',
      replace: "for (const created of creates.filter((one) => one !== 'Job')) {",
    },
    {
      claim: '2: `GET // HTTP/1.1`, which no URL parser takes',
      file: 'libs/runtime/src/webhook/target.ts',
      find: "if (path === undefined) throw new RequestRefused(400, 'the target of the request is not a path');",
      replace: "if (path === undefined) return { path: new URL(target, 'https://a').pathname, timeoutMs: 10_000 };",
    },
    {
      claim: '2: any other request that the listener does not foresee',
      file: 'libs/runtime/src/webhook/service.ts',
      find: 'throw new RequestRefused(400, messageOf(error));',
      replace: 'throw error;',
    },
    {
      claim: '3: a caller that asks for a day',
      file: 'libs/runtime/src/webhook/service.ts',
      find: 'Math.min(asksForMs, webhook.timeoutMs ?? usualTimeoutMs)',
      replace: 'Math.min(asksForMs, 86_400_000)',
    },
    {
      claim: '3: bodies that never end, of 7.9 MB each',
      file: 'libs/runtime/src/webhook/body.ts',
      find: 'while (this.#held > this.#limits.maxUnfinishedBytes) {',
      replace: 'while (this.#held > this.#limits.maxUnfinishedBytes * 1000) {',
    },
    {
      claim: '3: more than a thousand connections that say nothing',
      file: 'libs/runtime/src/webhook/connections.ts',
      find: 'if (this.#entries.size >= this.#most && !this.#makeRoom(address)) {',
      replace: 'if (this.#entries.size >= this.#most) {',
    },
    {
      claim: '3: a closed gate that is overloaded',
      file: 'libs/lifecycle/src/disruption/gate.ts',
      find: 'if (pod && passesAnyway({ pod, requester, operator: this.#options.operator }) !== undefined)',
      replace: 'if (pod)',
    },
    {
      claim: '3: a caller without the API server’s certificate, where it presents one',
      file: 'libs/runtime/src/webhook/server.ts',
      find: '...(clients && { requestCert: true, rejectUnauthorized: true }),',
      replace: '...(clients && { requestCert: true, rejectUnauthorized: false }),',
    },
    {
      claim: '3: one TLS handshake after the other on a connection',
      file: 'libs/runtime/src/webhook/server.ts',
      find: `minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_RENEGOTIATION,`,
      replace: `minVersion: 'TLSv1.2', secureOptions: 0,`,
    },
    {
      claim: '4: a page of metrics that is quadratic to read',
      file: 'libs/lifecycle/src/health-check/metric-text.ts',
      find: 'const escaped = line.slice(at + 1, at + 2);',
      replace: 'const escaped = line.slice(at + 1, line.length).slice(0, 1);',
    },
    {
      claim: '4: long labels',
      file: 'libs/lifecycle/src/health-check/metric-lines.ts',
      find: 'if (length > lineBytes) throw tooLarge(`a sample of ${this.#metric.name} is longer than ${lineBytes} bytes`);',
      replace: '',
    },
    {
      claim: '5: a gate’s command that prints without end',
      file: 'libs/client/src/internal/exec.ts',
      find: 'if (!outputs[number].push(data))',
      replace: 'if (!outputs[number].push(data) && data.length > 1_000_000_000)',
    },
    {
      claim: '6: hundreds of Secrets of a megabyte',
      file: 'libs/lifecycle/src/external-resource/secret-data.ts',
      find: 'withAnnotations(metadataOnly(secrets), [])',
      replace: 'withAnnotations(secrets, [])',
    },
    {
      claim: '6: any other object that is too large for the caches',
      file: 'libs/runtime/src/cache/budget.ts',
      find: 'if (bytes > this.#limits.objectBytes) return false;',
      replace: '',
    },
    {
      claim: '6: it is counted in a metric',
      file: 'libs/runtime/src/observability/manager-metrics.ts',
      find: "'Objects too large to be kept', ({ withheld }) => withheld",
      replace: "'Objects too large to be kept', ({ withheld }) => withheld * 0",
    },
    {
      claim: '7: a thousand resources of one namespace',
      file: 'libs/runtime/src/queue/fair-map.ts',
      find: `this.#lines.delete(name);
    if (values.size > 0) this.#lines.set(name, values);`,
      replace: 'if (values.size === 0) this.#lines.delete(name);',
    },
    {
      claim: '7: gates of one namespace that never answer',
      file: 'libs/runtime/src/outside/outside-calls.ts',
      find: 'this.#byHeld = Array.from({ length: this.#limits.perNamespace }, () => new Set<Tenant>());',
      replace: 'this.#byHeld = Array.from({ length: this.#limits.total }, () => new Set<Tenant>());',
    },
    {
      claim: '7: a gate whose `timeout` is a day',
      file: 'libs/lifecycle/src/health-check/check.ts',
      find: 'maxAnswerMs = 60_000',
      replace: 'maxAnswerMs = 86_400_000',
    },
    {
      claim: '8a: a registration that is written into a status, for the token of the Secret that it names',
      file: 'libs/lifecycle/src/seal/sealed-statuses.ts',
      find: 'return this.#isSealed(object);',
      replace: 'return true;',
    },
    {
      claim: '8a: a seal that was made for another object',
      file: 'libs/lifecycle/src/seal/seal.ts',
      find: 'canonicalJson([descriptor.group, descriptor.kind, namespace, name, uid, purpose, item])',
      replace: 'canonicalJson([descriptor.group, descriptor.kind, namespace, name, purpose, item])',
    },
    {
      claim: '8b: a status that says that the final backup has succeeded',
      file: 'libs/lifecycle/src/seal/sealed-statuses.ts',
      find: `if (object.status?.seal === undefined) return !isHeld && isEmpty(itemOf(object.status));
    return this.#isSealed(object);`,
      replace: 'return true;',
    },
    {
      claim: '8b: a Job of another client under the name of the final backup',
      file: 'libs/lifecycle/src/seal/sealed-jobs.ts',
      find: 'return sealer.holds(this.#itemOf(job), job.metadata.annotations?.[this.#marks.sealAnnotation]);',
      replace: 'return sealer.holds({ ...this.#itemOf(job) }, sealer.sign(this.#itemOf(job)));',
    },
    {
      claim: '8b: a Job that bears the seal of another one, and runs something else',
      file: 'libs/lifecycle/src/seal/sealed-jobs.ts',
      find: 'const item = [name, read(this.#marks.labels, labels), read(this.#marks.annotations, annotations), contentOf(job)];',
      replace: 'const item = [name, read(this.#marks.labels, labels), read(this.#marks.annotations, annotations)];',
    },
    {
      claim: '8b: an upgrade of the operator, for which Jobs of others count from then on',
      file: 'libs/lifecycle/src/seal/sealed-statuses.ts',
      find: 'status?.seal !== undefined && status.jobsSealed !== true',
      replace: 'status?.seal !== undefined',
    },
    {
      claim: '9: the operator’s token, used in `kube-system`',
      file: 'libs/constructs/src/install/reserved-namespaces.ts',
      find: "['kube-node-lease', 'kube-public', 'kube-system']",
      replace: "['kube-node-lease', 'kube-public']",
    },
    {
      claim: '9: the operator’s token, used to run privileged pods',
      file: 'libs/constructs/src/install/operator-install.ts',
      find: "options.podSecurity ?? 'baseline'",
      replace: "options.podSecurity ?? 'privileged'",
    },
    {
      claim: '9: the operator’s token, used to have its webhooks asked about other requests',
      file: 'libs/constructs/src/install/webhook-configuration.ts',
      find: `'rules',
  'failurePolicy',`,
      replace: "'failurePolicy',",
    },
    {
      claim: '10: deletion of a collection of CustomResourceDefinitions',
      file: 'libs/constructs/src/install/definitions.ts',
      find: '`oldObject.metadata.name in ${JSON.stringify(ours)}`',
      replace: '`request.name in ${JSON.stringify(ours)}`',
    },
    {
      claim: '11: etcd is restored to an older state',
      file: 'libs/runtime/src/cache/reflector.ts',
      find: 'if (isOlder(revision, before)) this.#wentBack(signal);',
      replace: '',
    },
    {
      claim: '11: an own write is lost with it, and nothing else shows it',
      file: 'libs/runtime/src/cache/unseen-writes.ts',
      find: 'return isOlder(object.metadata.resourceVersion, write?.revision);',
      replace: "return isOlder(object.metadata.resourceVersion, write && '0');",
    },
    {
      claim: '11: an object that is deleted while a watch is broken, taken for a restore',
      file: 'libs/runtime/src/cache/reflector.ts',
      find: 'if (isBehind(latest, items[0])) this.#wentBack(signal);',
      replace: 'if (items[0] === undefined) this.#wentBack(signal);',
    },
    {
      claim: '12: no child can be made where `OwnerReferencesPermissionEnforcement` is on',
      file: 'libs/runtime/src/builder/builder.ts',
      find: "return [...writes, { descriptor: primary, verbs: ['update'], subresource: 'finalizers' }];",
      replace: 'return writes;',
    },
    {
      claim: '13: the rate budget of another’s account, used up with a wrong token',
      file: 'apps/operator/src/providers/budgets.ts',
      find: 'const shared = remembered(this.#byNamespace, namespace, () => this.#limiter());',
      replace: "const shared = remembered(this.#byNamespace, '', () => this.#limiter());",
    },
    {
      claim: '14: replies that two readers understand differently',
      file: 'libs/client/src/internal/http1/reply-parser.ts',
      find: "if (strayControl.test(text)) throw malformed('a control character in its head');",
      replace: '',
    },
    {
      claim: '14: CR and LF in the name of a header that is sent',
      file: 'libs/client/src/internal/http1/request-head.ts',
      find: 'if (!name.test(field)) throw new TypeError(`${JSON.stringify(field)} is no name of a header`);',
      replace: '',
    },
    {
      claim: '15: a CRD that keeps code generation busy',
      file: 'libs/schema/src/cel/cost/limits.ts',
      find: 'export const expressionLimit = 10_000_000; export const schemaLimit = 100_000_000;',
      replace: 'export const expressionLimit = 10_000_000_000_000; export const schemaLimit = 100_000_000;',
    },
    {
      claim: '15: a rule that keeps a validator busy',
      file: 'libs/schema/src/cel/cost/limits.ts',
      find: 'export const callLimit = 1_000_000;',
      replace: 'export const callLimit = 1_000_000_000_000;',
    },
    {
      claim: '15: a description of 20 MB',
      file: 'tools/codegen/src/crd/read.ts',
      find: 'const largestDefinition = 3 * 1024 * 1024;',
      replace: 'const largestDefinition = 300 * 1024 * 1024;',
    },
    {
      claim: '16: an endpoint at the metadata address of a cloud',
      file: 'libs/lifecycle/src/external-resource/refused-networks.ts',
      find: "'fd00:ec2::/32',",
      replace: "'fd00:ec2::254/128',",
    },
    {
      claim: '16: an endpoint of another scheme',
      file: 'libs/lifecycle/src/external-resource/endpoint-policy.ts',
      find: 'if (!schemes.has(url.protocol)) throw',
      replace: 'if (schemes.size === 0) throw',
    },
    {
      claim: '17: the Dockerfile’s base without a digest',
      file: 'Dockerfile',
      find: ` AS build
`,
      replace: ` AS build
FROM node:24 AS other
`,
    },
    {
      claim: '17: an entry of the lock file without an integrity',
      file: 'package-lock.json',
      find: '"packages": {',
      replace: '"packages": { "node_modules/loose": { "version": "1.0.0" },',
    },
    {
      claim: 'also: a monitor whose reply comes a byte at a time',
      file: 'apps/operator/src/providers/http/exchange.ts',
      find: 'const limit = AbortSignal.timeout(timeoutMs);',
      replace: 'const limit = AbortSignal.timeout(timeoutMs * 100);',
    },
    {
      claim: 'also: ten thousand events of one namespace',
      file: 'libs/runtime/src/events/recorder.ts',
      find: 'if (this.#waiting.sizeOf(namespace) >= perNamespace.waiting) {',
      replace: 'if (this.#waiting.sizeOf(namespace) >= 1_000_000) {',
    },
    {
      claim: 'also: a spec of a megabyte',
      file: 'apps/operator/src/webhooks/judge.ts',
      find: "if (spec.length > maxSpecLength) return deny(tooLarge(spec.length), { code: 422, reason: 'Invalid' });",
      replace: '',
    },
    {
      claim: 'also: a status of a megabyte',
      file: 'apps/operator/src/oversize.ts',
      find: 'const maxStatusLength = 64 * 1024;',
      replace: 'const maxStatusLength = 64 * 1024 * 1024;',
    },
    {
      claim: 'also: a clock that is set back by an hour',
      file: 'libs/lifecycle/src/canary/judgement.ts',
      find: 'if (since <= now) return since + bakeMs;',
      replace: 'if (since <= Infinity) return since + bakeMs;',
    },
    {
      claim: 'also: a schema whose `$ref` leads to itself',
      file: 'tools/codegen/src/crd/form.ts',
      find: `const forbidden = [
  '$ref',`,
      replace: 'const forbidden = [',
    },
  ],
};
