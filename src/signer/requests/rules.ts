/** Why a request may be left to a person: the first of these that holds. */
export const rules = [
  'TooMany',
  'Unreadable',
  'Subject',
  'Usages',
  'AlternativeNames',
  'Requester',
  'TooOld',
  'FromTheFuture',
  'NotTheNewest',
  'NodeAlive',
  'NodeUnknown',
  'Addresses',
  'SharedAddresses',
  'Rights',
  'NotLet',
] as const

export type Rule = (typeof rules)[number]

export interface Refusal {
  readonly rule: Rule
  /** What is wrong, for a person. */
  readonly why: string
  /** It stays so, whatever else changes. */
  readonly isFinal: boolean
}

/** What a person can do, besides approving it. */
const remedies: Readonly<Record<Rule, string>> = {
  TooMany: 'find out who asks so much and delete what nobody needs',
  Unreadable: 'let the kubelet ask anew',
  Subject: 'see who asks for it',
  Usages: 'see who asks for it',
  AlternativeNames: 'see who asks for it',
  Requester: 'see who asks for it',
  TooOld: 'the kubelet asks anew by itself; if it does not, restart it',
  FromTheFuture: 'put the clocks right',
  NotTheNewest: 'nothing has to be done if the newer one was approved',
  NodeAlive: 'if the machine was replaced, delete the Node or wait until it is NotReady',
  NodeUnknown: 'see whether the kubelet has registered its Node',
  Addresses: "put the Node's addresses right, or what the kubelet takes for its own",
  SharedAddresses: 'give each Node addresses of its own',
  Rights: 'bind the ClusterRole that allows it',
  NotLet: 'give the signer the rights in docs/certificate-requests.md',
}

/** One sentence for an event. `name` is the request's. */
export function explained({ rule, why }: Refusal, name: string): string {
  return `${rule}: ${why}; ${remedies[rule]}. If you know that it is right: kubectl certificate approve ${name}`
}
