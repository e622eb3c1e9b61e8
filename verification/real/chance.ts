/** What chance decides of a scenario on a real control plane, and what is therefore not compared with the simulation; all else is. */
export interface Chance {
  readonly because: string;
  /** The status at the time of each action is not compared: only what is done and why, and what is said lastingly. */
  readonly statusIsPassing?: true;
  /** An action, with its reason, that is done once where no other client was quicker. */
  readonly whoeverIsFirst?: string;
  /** An action that is done, among whichever others and for whichever reason. */
  readonly soonerOrLater?: string;
}

/** By kind and name of the scenario. */
export const chances: Readonly<Record<string, Chance>> = {
  'ClusteredCache: an upgrade that is held, while its members are lost': {
    because:
      'its StatefulSet is deleted while a pod is held: how far the real garbage collector has come when the operator looks decides when, and for which reason, the finalizer of the pod is removed',
    soonerOrLater: 'remove finalizer cache.my.domain/pre-terminate-hook from Pod default/sessions-0',
  },
  'ClusteredCache: a reduction that waits for its gate while its StatefulSet is made smaller past all webhooks': {
    because:
      'the real controller of StatefulSets may have begun to delete members when the operator sees that the set was made smaller, or not',
    statusIsPassing: true,
  },
  'KVStoreCluster: a deletion of the namespace with all that is in it': {
    because:
      'the real namespace controller deletes one kind after the other, in an order of chance, and may be quicker than the operator',
    whoeverIsFirst: 'delete StatefulSet shop/orders, because the cluster is being deleted',
  },
  'KVStoreCluster: a deletion that leaves the members, which another cluster takes back': {
    because: 'the real garbage collector lets one dependent go after the other, and the operator may look in between',
    statusIsPassing: true,
  },
  'KVStoreCluster: a canary that bakes for longer than a step may take': {
    because:
      'its StatefulSet is lost: the real garbage collector lets one dependent go after the other, and the operator may look in between',
    statusIsPassing: true,
  },
  'KVStoreCluster: a deletion right after a backup was asked for, which is the only one': {
    because: 'the operator may look after the one and before the other',
    statusIsPassing: true,
  },
};
