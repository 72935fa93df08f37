export const metaMessages = `
Condition: 1 type string!, 2 status string:ConditionStatus!, 3 observedGeneration int64,
  4 lastTransitionTime Time!, 5 reason string!, 6 message string!
DeleteOptions: 1 gracePeriodSeconds *int64, 2 preconditions *Preconditions,
  3 orphanDependents *bool, 4 propagationPolicy *string:DeletionPropagation, 5 dryRun []string,
  6 ignoreStoreReadErrorWithClusterBreakingPotential *bool
either ExtraValue: 1 items []string
FieldSelectorRequirement: 1 key string!, 2 operator string:FieldSelectorOperator!, 3 values []string
LabelSelector: 1 matchLabels map string, 2 matchExpressions []LabelSelectorRequirement
LabelSelectorRequirement: 1 key string!, 2 operator string:LabelSelectorOperator!, 3 values []string
ManagedFieldsEntry: 1 manager string, 2 operation string:ManagedFieldsOperationType,
  3 apiVersion string, 4 time *Time, 6 fieldsType string, 7 fieldsV1 *FieldsV1, 8 subresource string
ObjectMeta: 1 name string, 2 generateName string, 3 namespace string, 4 selfLink string,
  5 uid string:types.UID, 6 resourceVersion string, 7 generation int64, 8 creationTimestamp Time,
  9 deletionTimestamp *Time, 10 deletionGracePeriodSeconds *int64, 11 labels map string,
  12 annotations map string, 13 ownerReferences []OwnerReference, 14 finalizers []string,
  17 managedFields []ManagedFieldsEntry
OwnerReference: 1 kind string!, 3 name string!, 4 uid string:types.UID!, 5 apiVersion string!,
  6 controller *bool, 7 blockOwnerDeletion *bool
Preconditions: 1 uid *string:types.UID, 2 resourceVersion *string
`
