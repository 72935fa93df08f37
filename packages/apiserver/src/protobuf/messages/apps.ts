export const appsMessages = `
kind DaemonSet: 1 metadata meta.ObjectMeta, 2 spec DaemonSetSpec, 3 status DaemonSetStatus
kind Deployment: 1 metadata meta.ObjectMeta, 2 spec DeploymentSpec, 3 status DeploymentStatus
DaemonSetCondition: 1 type string:DaemonSetConditionType!, 2 status string:ConditionStatus!,
  3 lastTransitionTime Time, 4 reason string, 5 message string
DaemonSetSpec: 1 selector *meta.LabelSelector!, 2 template core.PodTemplateSpec!,
  3 updateStrategy DaemonSetUpdateStrategy, 4 minReadySeconds int32, 6 revisionHistoryLimit *int32
DaemonSetStatus: 1 currentNumberScheduled int32!, 2 numberMisscheduled int32!,
  3 desiredNumberScheduled int32!, 4 numberReady int32!, 5 observedGeneration int64,
  6 updatedNumberScheduled int32, 7 numberAvailable int32, 8 numberUnavailable int32,
  9 collisionCount *int32, 10 conditions []DaemonSetCondition
DaemonSetUpdateStrategy: 1 type string:DaemonSetUpdateStrategyType,
  2 rollingUpdate *RollingUpdateDaemonSet
DeploymentCondition: 1 type string:DeploymentConditionType!, 2 status string:ConditionStatus!,
  4 reason string, 5 message string, 6 lastUpdateTime Time, 7 lastTransitionTime Time
DeploymentSpec: 1 replicas *int32, 2 selector *meta.LabelSelector!,
  3 template core.PodTemplateSpec!, 4 strategy DeploymentStrategy, 5 minReadySeconds int32,
  6 revisionHistoryLimit *int32, 7 paused bool, 9 progressDeadlineSeconds *int32
DeploymentStatus: 1 observedGeneration int64, 2 replicas int32, 3 updatedReplicas int32,
  4 availableReplicas int32, 5 unavailableReplicas int32, 6 conditions []DeploymentCondition,
  7 readyReplicas int32, 8 collisionCount *int32
DeploymentStrategy: 1 type string:DeploymentStrategyType, 2 rollingUpdate *RollingUpdateDeployment
RollingUpdateDaemonSet: 1 maxUnavailable *IntOrString, 2 maxSurge *IntOrString
RollingUpdateDeployment: 1 maxUnavailable *IntOrString, 2 maxSurge *IntOrString
`
