/** Where rules come from: one generation's tables, or the cluster's policy. */
export type RuleSource = '4.12' | '4.16' | 'policy'
