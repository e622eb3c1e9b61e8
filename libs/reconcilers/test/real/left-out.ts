/** The scenarios that do not run on a real control plane, by their kind and name, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  'ClusteredCache: a drain of all nodes, and of one during an upgrade':
    'the webhook that it is about is answered within the simulated network, where no real API server can ask it; the end-to-end run has real drains',
  'ClusteredCache: a child that is refused for a while, and a template that is wrong':
    'the policy that refuses is a webhook within the simulated network',
  'ClusteredCache: an upgrade that fails because nobody leads any more':
    'the simulated API server refuses writes of pods there, at a moment that the scenario chooses',
  'ClusteredCache: an upgrade that is held, while its members are lost':
    'its StatefulSet is deleted while a pod is held: how far the real garbage collector has come when the operator looks is chance, and decides for which reason the pod is let go',
  'KVStoreCluster: a deletion of the namespace with all that is in it':
    'the real namespace controller deletes one kind after the other, in an order of chance: what the operator still finds, and does, differs from run to run',
};

/** Scenarios of which the status at the moment of each action is not compared, but only what is done and why, and what is said lastingly; and why. */
export const seenInParts: Readonly<Record<string, string>> = {
  'KVStoreCluster: a deletion that leaves the members, which another cluster takes back':
    'the real garbage collector lets one dependent go after the other, and the operator may look in between',
  'KVStoreCluster: a canary that bakes for longer than a step may take': 'likewise, when its StatefulSet is lost',
  'KVStoreCluster: a deletion right after a backup was asked for, which is the only one':
    'the operator may look after the one and before the other',
};
