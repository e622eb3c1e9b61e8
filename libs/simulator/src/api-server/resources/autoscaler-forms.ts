import { without } from '../kinds/spec.ts';
import { isObject } from '../object.ts';
import type { JsonObject } from '../request.ts';

const part = (object: JsonObject, field: string): JsonObject => (isObject(object[field]) ? object[field] : {});
const list = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const ofCpu = ({ type, resource }: JsonObject): boolean =>
  type === 'Resource' && isObject(resource) && resource['name'] === 'cpu';

/** An autoscaler in the form of another version: `autoscaling/v1` knows the use of the processor alone, and says nothing of other metrics. */
export function convertAutoscaler(autoscaler: JsonObject, apiVersion: string): JsonObject {
  const convert = apiVersion === 'autoscaling/v1' ? [firstSpec, firstStatus] : [secondSpec, secondStatus];
  const [spec, status] = ['spec', 'status'].map((field, index) => convert[index]?.(part(autoscaler, field)));
  return { ...autoscaler, apiVersion, spec, ...(autoscaler['status'] !== undefined && { status }) };
}

function firstSpec(spec: JsonObject): JsonObject {
  const cpu = list(spec['metrics']).find(ofCpu);
  const target = cpu && part(part(cpu, 'resource'), 'target')['averageUtilization'];
  return {
    ...without(spec, 'metrics', 'behavior'),
    ...(target !== undefined && { targetCPUUtilizationPercentage: target }),
  };
}

function firstStatus(status: JsonObject): JsonObject {
  const cpu = list(status['currentMetrics']).find(ofCpu);
  const current = cpu && part(part(cpu, 'resource'), 'current')['averageUtilization'];
  return {
    ...without(status, 'currentMetrics', 'conditions'),
    currentReplicas: status['currentReplicas'] ?? 0,
    ...(current !== undefined && { currentCPUUtilizationPercentage: current }),
  };
}

function secondSpec(spec: JsonObject): JsonObject {
  const { targetCPUUtilizationPercentage: percentage, ...rest } = spec;
  if (percentage === undefined) return rest;
  const target = { type: 'Utilization', averageUtilization: percentage };
  return { ...rest, metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }] };
}

function secondStatus(status: JsonObject): JsonObject {
  const { currentCPUUtilizationPercentage: percentage, currentReplicas, ...others } = status;
  const rest = { ...others, ...(currentReplicas !== undefined && currentReplicas !== 0 && { currentReplicas }) };
  const current = { averageUtilization: percentage };
  return {
    ...rest,
    currentMetrics: percentage === undefined ? null : [{ type: 'Resource', resource: { name: 'cpu', current } }],
  };
}
