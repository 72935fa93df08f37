export const authenticationMessages = `
kind SelfSubjectReview: 1 metadata meta.ObjectMeta, 2 status SelfSubjectReviewStatus
kind TokenRequest: 1 metadata meta.ObjectMeta, 2 spec TokenRequestSpec!, 3 status TokenRequestStatus
kind TokenReview: 1 metadata meta.ObjectMeta, 2 spec TokenReviewSpec!, 3 status TokenReviewStatus
BoundObjectReference: 1 kind string, 2 apiVersion string, 3 name string, 4 uid string:types.UID
SelfSubjectReviewStatus: 1 userInfo UserInfo
TokenRequestSpec: 1 audiences []string!, 3 boundObjectRef *BoundObjectReference?,
  4 expirationSeconds *int64?
TokenRequestStatus: 1 token string!, 2 expirationTimestamp Time!
TokenReviewSpec: 1 token string, 2 audiences []string
TokenReviewStatus: 1 authenticated bool, 2 user UserInfo, 3 error string, 4 audiences []string
UserInfo: 1 username string, 2 uid string, 3 groups []string, 4 extra map meta.ExtraValue
`

export const authorizationMessages = `
kind LocalSubjectAccessReview: 1 metadata meta.ObjectMeta, 2 spec SubjectAccessReviewSpec!,
  3 status SubjectAccessReviewStatus
kind SelfSubjectAccessReview: 1 metadata meta.ObjectMeta, 2 spec SelfSubjectAccessReviewSpec!,
  3 status SubjectAccessReviewStatus
kind SelfSubjectRulesReview: 1 metadata meta.ObjectMeta, 2 spec SelfSubjectRulesReviewSpec!,
  3 status SubjectRulesReviewStatus
kind SubjectAccessReview: 1 metadata meta.ObjectMeta, 2 spec SubjectAccessReviewSpec!,
  3 status SubjectAccessReviewStatus
FieldSelectorAttributes: 1 rawSelector string, 2 requirements []meta.FieldSelectorRequirement
LabelSelectorAttributes: 1 rawSelector string, 2 requirements []meta.LabelSelectorRequirement
NonResourceAttributes: 1 path string, 2 verb string
NonResourceRule: 1 verbs []string!, 2 nonResourceURLs []string
ResourceAttributes: 1 namespace string, 2 verb string, 3 group string, 4 version string,
  5 resource string, 6 subresource string, 7 name string, 8 fieldSelector *FieldSelectorAttributes,
  9 labelSelector *LabelSelectorAttributes
ResourceRule: 1 verbs []string!, 2 apiGroups []string, 3 resources []string,
  4 resourceNames []string
SelfSubjectAccessReviewSpec: 1 resourceAttributes *ResourceAttributes,
  2 nonResourceAttributes *NonResourceAttributes
SelfSubjectRulesReviewSpec: 1 namespace string
SubjectAccessReviewSpec: 1 resourceAttributes *ResourceAttributes,
  2 nonResourceAttributes *NonResourceAttributes, 3 user string, 4 groups []string,
  5 extra map meta.ExtraValue, 6 uid string
SubjectAccessReviewStatus: 1 allowed bool!, 2 reason string, 3 evaluationError string, 4 denied bool
SubjectRulesReviewStatus: 1 resourceRules []ResourceRule!, 2 nonResourceRules []NonResourceRule!,
  3 incomplete bool!, 4 evaluationError string
`

export const autoscalingMessages = `
kind Scale: 1 metadata meta.ObjectMeta, 2 spec ScaleSpec, 3 status ScaleStatus
ScaleSpec: 1 replicas int32
ScaleStatus: 1 replicas int32!, 2 selector string
`

export const certificatesMessages = `
kind CertificateSigningRequest: 1 metadata meta.ObjectMeta, 2 spec CertificateSigningRequestSpec!,
  3 status CertificateSigningRequestStatus
CertificateSigningRequestCondition: 1 type string:RequestConditionType!, 2 reason string,
  3 message string, 4 lastUpdateTime Time, 5 lastTransitionTime Time,
  6 status string:ConditionStatus!
CertificateSigningRequestSpec: 1 request bytes!, 2 username string, 3 uid string, 4 groups []string,
  5 usages []string:KeyUsage, 6 extra map meta.ExtraValue, 7 signerName string!,
  8 expirationSeconds *int32
CertificateSigningRequestStatus: 1 conditions []CertificateSigningRequestCondition,
  2 certificate bytes
`

export const coordinationMessages = `
kind Lease: 1 metadata meta.ObjectMeta, 2 spec LeaseSpec
LeaseSpec: 1 holderIdentity *string, 2 leaseDurationSeconds *int32, 3 acquireTime *MicroTime,
  4 renewTime *MicroTime, 5 leaseTransitions *int32, 6 strategy *string:CoordinatedLeaseStrategy,
  7 preferredHolder *string
`

export const eventsMessages = `
kind Event: 1 metadata meta.ObjectMeta?, 2 eventTime MicroTime!, 3 series *EventSeries,
  4 reportingController string, 5 reportingInstance string, 6 action string, 7 reason string,
  8 regarding core.ObjectReference, 9 related *core.ObjectReference, 10 note string, 11 type string,
  12 deprecatedSource core.EventSource, 13 deprecatedFirstTimestamp Time,
  14 deprecatedLastTimestamp Time, 15 deprecatedCount int32
EventSeries: 1 count int32!, 2 lastObservedTime MicroTime!
`

export const policyMessages = `
kind Eviction: 1 metadata meta.ObjectMeta, 2 deleteOptions *meta.DeleteOptions
kind PodDisruptionBudget: 1 metadata meta.ObjectMeta, 2 spec PodDisruptionBudgetSpec,
  3 status PodDisruptionBudgetStatus
PodDisruptionBudgetSpec: 1 minAvailable *IntOrString, 2 selector *meta.LabelSelector,
  3 maxUnavailable *IntOrString, 4 unhealthyPodEvictionPolicy *string:UnhealthyPodEvictionPolicyType
PodDisruptionBudgetStatus: 1 observedGeneration int64, 2 disruptedPods map Time,
  3 disruptionsAllowed int32!, 4 currentHealthy int32!, 5 desiredHealthy int32!,
  6 expectedPods int32!, 7 conditions []meta.Condition
`

export const rbacMessages = `
kind ClusterRole: 1 metadata meta.ObjectMeta, 2 rules []PolicyRule?,
  3 aggregationRule *AggregationRule
kind ClusterRoleBinding: 1 metadata meta.ObjectMeta, 2 subjects []Subject, 3 roleRef RoleRef!
kind Role: 1 metadata meta.ObjectMeta, 2 rules []PolicyRule?
kind RoleBinding: 1 metadata meta.ObjectMeta, 2 subjects []Subject, 3 roleRef RoleRef!
AggregationRule: 1 clusterRoleSelectors []meta.LabelSelector
PolicyRule: 1 verbs []string!, 2 apiGroups []string, 3 resources []string, 4 resourceNames []string,
  5 nonResourceURLs []string
RoleRef: 1 apiGroup string!, 2 kind string!, 3 name string!
Subject: 1 kind string!, 2 apiGroup string, 3 name string!, 4 namespace string
`
