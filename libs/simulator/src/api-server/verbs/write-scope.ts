import type { Writer } from '../apply/field-manager.ts';
import type { AdmissionAttributes } from '../admission/attributes.ts';
import type { KindModel, WriteContext } from '../kinds/model.ts';
import { uid } from '../metadata.ts';
import type { Steps } from '../admission/steps.ts';
import { converting } from '../custom/conversion.ts';
import type { Convert } from '../custom/conversion.ts';
import type { ApiRequest, JsonObject } from '../request.ts';
import type { ServerResource } from '../resources/resource.ts';
import { groupVersion } from '../resources/resource.ts';
import { administrator } from '../identity.ts';
import type { ApiServer } from '../server.ts';
import { managerOf } from './body.ts';
import type { Refusal } from '../status.ts';

/** All that one write needs to know: its request, its kind, and where warnings go. */
export class WriteScope {
  readonly server: ApiServer;
  readonly request: ApiRequest;
  readonly resource: ServerResource;
  readonly model: KindModel;
  /** The subresource that managed fields are kept under. */
  readonly endpoint: string;
  readonly warnings: string[] = [];

  constructor(server: ApiServer, request: ApiRequest, resource: ServerResource, endpoint = request.subresource ?? '') {
    this.endpoint = endpoint;
    this.server = server;
    this.request = request;
    this.resource = resource;
    this.model = server.models.of(resource);
  }

  readonly warn = (texts: readonly string[]): void => {
    this.warnings.push(...texts);
  };

  /** A refusal that carries what the writer was warned of before. */
  refusal(refused: Refusal): Refusal {
    refused.warnings = this.warnings;
    return refused;
  }

  /** Whether nothing is to be stored. */
  get dryRun(): boolean {
    return this.request.options?.dryRun === true;
  }

  /** What rules may look at. */
  get context(): WriteContext {
    return {
      resource: this.resource,
      subresource: this.request.subresource,
      lookup: (storage, key) => this.server.lookup(storage, key),
      dryRun: this.dryRun,
      user: this.request.user ?? administrator,
      now: this.server.clock.now(),
      warn: this.warn,
    };
  }

  /** An object with its managed fields, as tracking who owns them gives it. It gets who writes. */
  tracked(track: (writer: Writer) => JsonObject): Steps<JsonObject> {
    return converting(this.server, this.resource, (convert) => track(this.#writer(convert)));
  }

  #writer(convert: Convert | undefined): Writer {
    const { server, resource, request } = this;
    return {
      manager: managerOf(request),
      apiVersion: groupVersion(resource),
      subresource: this.endpoint,
      now: server.clock.now(),
      shared: server.sharedFields,
      context: {
        apiVersion: groupVersion(resource),
        typeOf: (apiVersion) => server.typeOf(resource, apiVersion),
        ignored: this.model.ignored(request.subresource ?? ''),
        ...(convert && { convert }),
      },
    };
  }

  /** What admission is asked about this write. */
  attributes(
    parts: Pick<AdmissionAttributes, 'operation' | 'name' | 'object' | 'oldObject'> & Partial<AdmissionAttributes>,
  ): AdmissionAttributes {
    const { request, resource } = this;
    return {
      resource,
      subresource: request.subresource,
      namespace: request.namespace,
      options: this.#optionsOf(parts.operation),
      dryRun: this.dryRun,
      user: request.user ?? administrator,
      newUid: () => uid(this.server.random),
      warn: this.warn,
      ...parts,
    };
  }

  /** The options of the write, as reviews show them. A patch counts as an update, or as the creation that it comes to. */
  #optionsOf(operation: AdmissionAttributes['operation']): JsonObject {
    const { fieldManager, fieldValidation } = this.request.options ?? {};
    const kind = operation === 'DELETE' ? 'Delete' : operation === 'UPDATE' ? 'Update' : 'Create';
    return {
      kind: `${kind}Options`,
      apiVersion: 'meta.k8s.io/v1',
      ...(this.dryRun && { dryRun: ['All'] }),
      ...(fieldManager !== undefined && { fieldManager }),
      ...(fieldValidation !== undefined && { fieldValidation }),
    };
  }
}
