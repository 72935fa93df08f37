/**
 * Where the embedded server differs from a real one, on purpose or for now: `topic: case` and why. Such a case must
 * fail there; when it passes, its line has to go. Anything that is not here and fails is a bug.
 */
export const differences: Readonly<Record<string, string>> = {
  'bodies: 400: a value of the wrong type':
    'fields of built-in kinds are known but their types are not checked',
  'certificate signing requests: 422: what is wrong with them':
    'requests, usages and signer names are not checked',
  'certificate signing requests: are approved on their own path, for good':
    'approval does not set its times',
  'certificate signing requests: get their certificate on /status, once':
    'the certificate is not checked',
  'certificate signing requests: nothing but approval decides them':
    '/status accepts an Approved condition',
  'certificate signing requests: remember who asked':
    'the groups of whoever asks are taken from the request',
  'custom resources: a schema may change':
    'new defaults are filled in when an object is written, not when it is read',
  'custom resources: a table has the columns of the definition':
    'the Name column has no description',
  'eviction: 429: a budget blocks, then allows':
    'disruptionsAllowed is worked out from the pods, not counted down',
  'eviction: a dry run only asks': 'dryRun within deleteOptions is not seen',
  'eviction: a pod without a budget is marked for deletion':
    'the pod gets no DisruptionTarget condition',
  'eviction: two budgets on one pod': 'the message has other words in front',
  'kubectl and access: certificate approve and deny':
    'the REQUESTOR column is empty, as nobody remembers who asked',
  'lists: 400: selectors that cannot be': 'the message is in our own words',
  'lists: 410: an exact revision that is forgotten':
    'the first revision is still known after a start',
  'lists: 410: an expired page gives a token to go on with':
    'the first revision is still known after a start',
  'patches: merge: strict about unknown fields': 'answered with 400 instead of 422',
  'events: 422: are kept where their object is':
    'an event may be in another namespace than its object',
  'validation: 422: a config map of more than a megabyte': 'the size of config maps is not checked',
  'validation: 422: a namespace with a dot': 'the message has other words',
  'validation: 422: bad metadata, all of it at once': 'the causes come in another order',
  'watches: 410: a version that is forgotten is said in an event':
    'the first revision is still known after a start',
  'writes: a pod gets its defaults, and keeps its spec': 'the node of a pod may be patched',
  'writes: an immutable config map stays as it is': 'immutable is stored but not enforced',
  'writes: replacing what is not there': 'PUT does not create a Lease',
}
