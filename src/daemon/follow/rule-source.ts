/** The source of the disruption rules: the tables of one MCO release, or the policy of the cluster. */
export type RuleSource = '4.12' | '4.16' | 'policy'
