/** What a kind has beside the files of the contract, and what of the contract it lacks. */
export interface OwnSteps {
  /** By the name of a file or folder, each with the reason for it. A step covers `step.ts`, `step-….ts` and the folder `step`. */
  readonly steps: Readonly<Record<string, string>>;
  /** Files of the contract that it does not have, each with the reason. */
  readonly lacks?: Readonly<Record<string, string>>;
}

/** The files that each kind has, and what each holds (docs/decisions/0069-kind-contract.md). */
export const contract: Readonly<Record<string, string>> = {
  kind: 'the value of the registry: descriptor, controllers with what they watch and write, webhook, metrics',
  observe: 'reads everything that a decision depends on',
  decide: 'the decision, a pure function of an observation and its inputs',
  children: 'the objects that it creates, and what of them differs',
  status: 'the status that a decision shows',
  validate: 'what is wrong with a spec beyond its schema',
  webhook: 'what the operator’s webhooks ask of it: specs, rights of authors, gates',
  metrics: 'its gauges',
  memory: 'what of its status is sealed, and what is assumed where it is not believed',
  reconcile: 'the shell: observes, decides, executes',
  index: 'what the other folders and the tests import',
};

/** The folders beside those of kinds, each with the kinds that use it. */
export const sharedFolders: Readonly<Record<string, readonly string[]>> = {
  // How a StatefulSet of another client is taken over.
  adoption: ['clustered-cache', 'kv-store-cluster', 'monitored-stateful-set'],
  // What is recorded of any kind, at its environment: no kind knows of it.
  recording: [],
  // What an upgrade records and reports whose pods the operator deletes; how canaries are judged, and since when a step lasts, in all three.
  upgrade: ['clustered-cache', 'kv-store-cluster', 'monitored-stateful-set'],
};

/** By the folder of the kind. */
export const ownSteps: Readonly<Record<string, OwnSteps>> = {
  'clustered-cache': {
    steps: {
      adoption: 'a StatefulSet that another client has made is taken over',
      blocked: 'the decision where nothing can be decided',
      bypasses: 'what others have done past the gates, in condition, event and records',
      conditions: 'the conditions of the status',
      disruption: 'which pods the gate of drains and deletions protects, and by which decision',
      findings: 'what the status is made of',
      'held-pods': 'the members that the operator has put its finalizer on',
      lateness: 'the deadline of an upgrade while nothing else is decided',
      members: 'its members, as far as their number is concerned',
      'member-checks': 'how members are asked',
      names: 'finalizers and annotations of this kind alone',
      release: 'the finalizer of pods is removed',
      'rollout-observation': 'the observation of the rollout engine',
      task: 'the Jobs that an upgrade waits for',
      'taken-out': 'members that another client has taken out by their labels',
      template: 'what the members run and should run',
    },
  },
  'kv-store-cluster': {
    steps: {
      adoption: 'a StatefulSet that another client has made is taken over',
      'ahead-members': 'members that the cluster itself controls while their StatefulSet is made again',
      bypasses: 'what others have done past the gates, in condition and event',
      backup: 'backups on demand and on a schedule, and their retention',
      blocked: 'the decision where nothing can be decided',
      canary: 'how canaries are judged',
      causes: 'what keeps the pod of a Job from running',
      deletion: 'the steps of a deletion, in the seed’s order',
      disruption: 'which pods the gate of drains and deletions protects, and by which decision',
      drill: 'restore drills in a scratch cluster',
      'exclusive-jobs': 'Jobs that must not run side by side',
      gates: 'what the gates say of the StatefulSet, in the words of the status',
      'failed-jobs': 'the condition and the events of a Job that has failed',
      'held-data': 'the mark that volumes may hold data',
      history: 'templates of earlier revisions',
      jobs: 'the Jobs that steps wait for',
      lateness: 'the deadline of an upgrade while nothing else is decided',
      'member-checks': 'how members are asked, and the Jobs of gates',
      observation: 'the type of what is observed',
      pause: 'the record of an upgrade whose cluster is paused',
      records: 'the records of Jobs in the status',
      reserved: 'a member that another client may delete, and those that went without that',
      'rollout-observation': 'the cluster as the rules of a rollout see it',
      'rollout-step': 'the template and the partition of the StatefulSet',
      scale: 'the replicas, and the Job before a reduction',
      upgrade: 'where an upgrade stands, and its record',
      verdict: 'what was decided about the next step, in the words of the status',
      volumes: 'claims that grow, and those of removed ordinals',
    },
  },
  'monitored-stateful-set': {
    steps: {
      adoption: 'a StatefulSet that another client has made is taken over',
      bypasses: 'what others have done past the gates, in condition, event and records',
      cleanup: 'the Job that cleans up',
      conditions: 'the conditions of the status',
      credentials: 'the Secrets of monitors, and which of them are needed',
      disruption: 'which pods the gate of drains and deletions protects, and by which decision',
      ending: 'the members that end, and by whose hand',
      events: 'the events of a status that changes',
      members: 'its members, as far as their number is concerned',
      'member-checks': 'how members are asked',
      monitor: 'the interface of monitoring services',
      observation: 'the type of what is observed',
      outcome: 'the status after a call',
      place: 'a monitor that may hold an entry, and how many there may be',
      places: 'the decision for all monitors',
      registration: 'the decision for one monitor',
      'rollout-observation': 'the observation of the rollout engine',
      selector: 'whether the StatefulSet selects pods with these labels',
      'same-entry': 'whether two URLs show one entry',
      task: 'the Jobs that an upgrade waits for',
      template: 'what the members run and should run',
      upgrade: 'the decision about members that the operator replaces',
      'without-nulls': 'what of a manifest says nothing',
    },
  },
  'cloud-database': {
    steps: {
      database: 'the interface of providers',
      failure: 'what the status says of a call that failed',
      follow: 'an account that has got another name',
      outcome: 'the status after a call',
      rotation: 'how the login that applications use is replaced, and what is reported of it',
      rival: 'two resources that have taken over one database',
      spec: 'finalizer, names and policies out of a spec',
      state: 'how a database stands: the one value behind phase and conditions',
    },
  },
};
