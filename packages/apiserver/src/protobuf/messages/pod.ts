export const podMessages = `
kind Pod: 1 metadata meta.ObjectMeta, 2 spec PodSpec, 3 status PodStatus
Affinity: 1 nodeAffinity *NodeAffinity, 2 podAffinity *PodAffinity,
  3 podAntiAffinity *PodAntiAffinity
AppArmorProfile: 1 type string:AppArmorProfileType!, 2 localhostProfile *string
Capabilities: 1 add []string:Capability, 2 drop []string:Capability
ConfigMapEnvSource: 1 ...LocalObjectReference, 2 optional *bool
ConfigMapKeySelector: 1 ...LocalObjectReference, 2 key string!, 3 optional *bool
Container: 1 name string!, 2 image string, 3 command []string, 4 args []string, 5 workingDir string,
  6 ports []ContainerPort, 7 env []EnvVar, 8 resources ResourceRequirements,
  9 volumeMounts []VolumeMount, 10 livenessProbe *Probe, 11 readinessProbe *Probe,
  12 lifecycle *Lifecycle, 13 terminationMessagePath string, 14 imagePullPolicy string:PullPolicy,
  15 securityContext *SecurityContext, 16 stdin bool, 17 stdinOnce bool, 18 tty bool,
  19 envFrom []EnvFromSource, 20 terminationMessagePolicy string:TerminationMessagePolicy,
  21 volumeDevices []VolumeDevice, 22 startupProbe *Probe, 23 resizePolicy []ContainerResizePolicy,
  24 restartPolicy *string:ContainerRestartPolicy
ContainerPort: 1 name string, 2 hostPort int32, 3 containerPort int32!, 4 protocol string:Protocol,
  5 hostIP string
ContainerResizePolicy: 1 resourceName string:ResourceName!,
  2 restartPolicy string:ResourceResizeRestartPolicy!
ContainerState: 1 waiting *ContainerStateWaiting, 2 running *ContainerStateRunning,
  3 terminated *ContainerStateTerminated
ContainerStateRunning: 1 startedAt Time
ContainerStateTerminated: 1 exitCode int32!, 2 signal int32, 3 reason string, 4 message string,
  5 startedAt Time, 6 finishedAt Time, 7 containerID string
ContainerStateWaiting: 1 reason string, 2 message string
ContainerStatus: 1 name string!, 2 state ContainerState, 3 lastState ContainerState, 4 ready bool!,
  5 restartCount int32!, 6 image string!, 7 imageID string!, 8 containerID string, 9 started *bool,
  10 allocatedResources map Quantity:ResourceList, 11 resources *ResourceRequirements,
  12 volumeMounts []VolumeMountStatus, 13 user *ContainerUser,
  14 allocatedResourcesStatus []ResourceStatus
ContainerUser: 1 linux *LinuxContainerUser
EnvFromSource: 1 prefix string, 2 configMapRef *ConfigMapEnvSource, 3 secretRef *SecretEnvSource
EnvVar: 1 name string!, 2 value string, 3 valueFrom *EnvVarSource
EnvVarSource: 1 fieldRef *ObjectFieldSelector, 2 resourceFieldRef *ResourceFieldSelector,
  3 configMapKeyRef *ConfigMapKeySelector, 4 secretKeyRef *SecretKeySelector
EphemeralContainer: 1 ...EphemeralContainerCommon, 2 targetContainerName string
EphemeralContainerCommon: 1 name string!, 2 image string, 3 command []string, 4 args []string,
  5 workingDir string, 6 ports []ContainerPort, 7 env []EnvVar, 8 resources ResourceRequirements,
  9 volumeMounts []VolumeMount, 10 livenessProbe *Probe, 11 readinessProbe *Probe,
  12 lifecycle *Lifecycle, 13 terminationMessagePath string, 14 imagePullPolicy string,
  15 securityContext *SecurityContext, 16 stdin bool, 17 stdinOnce bool, 18 tty bool,
  19 envFrom []EnvFromSource, 20 terminationMessagePolicy string, 21 volumeDevices []VolumeDevice,
  22 startupProbe *Probe, 23 resizePolicy []ContainerResizePolicy, 24 restartPolicy *string
ExecAction: 1 command []string
GRPCAction: 1 port int32!, 2 service *string?
HTTPGetAction: 1 path string, 2 port IntOrString!, 3 host string, 4 scheme string:URIScheme,
  5 httpHeaders []HTTPHeader
HTTPHeader: 1 name string!, 2 value string!
HostAlias: 1 ip string!, 2 hostnames []string
HostIP: 1 ip string!
Lifecycle: 1 postStart *LifecycleHandler, 2 preStop *LifecycleHandler
LifecycleHandler: 1 exec *ExecAction, 2 httpGet *HTTPGetAction, 3 tcpSocket *TCPSocketAction,
  4 sleep *SleepAction
LinuxContainerUser: 1 uid int64!, 2 gid int64!, 3 supplementalGroups []int64
NodeAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution *NodeSelector,
  2 preferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm
PodAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm,
  2 preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm
PodAffinityTerm: 1 labelSelector *meta.LabelSelector, 2 namespaces []string, 3 topologyKey string!,
  4 namespaceSelector *meta.LabelSelector, 5 matchLabelKeys []string, 6 mismatchLabelKeys []string
PodAntiAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm,
  2 preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm
PodCondition: 1 type string:PodConditionType!, 2 status string:ConditionStatus!,
  3 lastProbeTime Time, 4 lastTransitionTime Time, 5 reason string, 6 message string
PodDNSConfig: 1 nameservers []string, 2 searches []string, 3 options []PodDNSConfigOption
PodDNSConfigOption: 1 name string, 2 value *string
PodIP: 1 ip string!
PodOS: 1 name string:OSName!
PodReadinessGate: 1 conditionType string:PodConditionType!
PodResourceClaim: 1 name string!, 3 resourceClaimName *string, 4 resourceClaimTemplateName *string
PodResourceClaimStatus: 1 name string!, 2 resourceClaimName *string
PodSchedulingGate: 1 name string!
PodSecurityContext: 1 seLinuxOptions *SELinuxOptions, 2 runAsUser *int64, 3 runAsNonRoot *bool,
  4 supplementalGroups []int64, 5 fsGroup *int64, 6 runAsGroup *int64, 7 sysctls []Sysctl,
  8 windowsOptions *WindowsSecurityContextOptions,
  9 fsGroupChangePolicy *string:PodFSGroupChangePolicy, 10 seccompProfile *SeccompProfile,
  11 appArmorProfile *AppArmorProfile, 12 supplementalGroupsPolicy *string:SupplementalGroupsPolicy,
  13 seLinuxChangePolicy *string:PodSELinuxChangePolicy
PodSpec: 1 volumes []Volume, 2 containers []Container!, 3 restartPolicy string:RestartPolicy,
  4 terminationGracePeriodSeconds *int64, 5 activeDeadlineSeconds *int64,
  6 dnsPolicy string:DNSPolicy, 7 nodeSelector map string, 8 serviceAccountName string,
  9 serviceAccount string, 10 nodeName string, 11 hostNetwork bool, 12 hostPID bool,
  13 hostIPC bool, 14 securityContext *PodSecurityContext,
  15 imagePullSecrets []LocalObjectReference, 16 hostname string, 17 subdomain string,
  18 affinity *Affinity, 19 schedulerName string, 20 initContainers []Container,
  21 automountServiceAccountToken *bool, 22 tolerations []Toleration, 23 hostAliases []HostAlias,
  24 priorityClassName string, 25 priority *int32, 26 dnsConfig *PodDNSConfig,
  27 shareProcessNamespace *bool, 28 readinessGates []PodReadinessGate, 29 runtimeClassName *string,
  30 enableServiceLinks *bool, 31 preemptionPolicy *string:PreemptionPolicy,
  32 overhead map Quantity:ResourceList, 33 topologySpreadConstraints []TopologySpreadConstraint,
  34 ephemeralContainers []EphemeralContainer, 35 setHostnameAsFQDN *bool, 36 os *PodOS,
  37 hostUsers *bool, 38 schedulingGates []PodSchedulingGate, 39 resourceClaims []PodResourceClaim,
  40 resources *ResourceRequirements
PodStatus: 1 phase string:PodPhase, 2 conditions []PodCondition, 3 message string, 4 reason string,
  5 hostIP string, 6 podIP string, 7 startTime *Time, 8 containerStatuses []ContainerStatus,
  9 qosClass string:PodQOSClass, 10 initContainerStatuses []ContainerStatus,
  11 nominatedNodeName string, 12 podIPs []PodIP, 13 ephemeralContainerStatuses []ContainerStatus,
  14 resize string:PodResizeStatus, 15 resourceClaimStatuses []PodResourceClaimStatus,
  16 hostIPs []HostIP
PodTemplateSpec: 1 metadata meta.ObjectMeta, 2 spec PodSpec
PreferredSchedulingTerm: 1 weight int32!, 2 preference NodeSelectorTerm!
Probe: 1 ...ProbeHandler, 2 initialDelaySeconds int32, 3 timeoutSeconds int32,
  4 periodSeconds int32, 5 successThreshold int32, 6 failureThreshold int32,
  7 terminationGracePeriodSeconds *int64
ProbeHandler: 1 exec *ExecAction, 2 httpGet *HTTPGetAction, 3 tcpSocket *TCPSocketAction,
  4 grpc *GRPCAction
ResourceClaim: 1 name string!, 2 request string
ResourceHealth: 1 resourceID string:ResourceID!, 2 health string:ResourceHealthStatus
ResourceRequirements: 1 limits map Quantity:ResourceList, 2 requests map Quantity:ResourceList,
  3 claims []ResourceClaim
ResourceStatus: 1 name string:ResourceName!, 2 resources []ResourceHealth
SELinuxOptions: 1 user string, 2 role string, 3 type string, 4 level string
SeccompProfile: 1 type string:SeccompProfileType!, 2 localhostProfile *string
SecretEnvSource: 1 ...LocalObjectReference, 2 optional *bool
SecretKeySelector: 1 ...LocalObjectReference, 2 key string!, 3 optional *bool
SecurityContext: 1 capabilities *Capabilities, 2 privileged *bool, 3 seLinuxOptions *SELinuxOptions,
  4 runAsUser *int64, 5 runAsNonRoot *bool, 6 readOnlyRootFilesystem *bool,
  7 allowPrivilegeEscalation *bool, 8 runAsGroup *int64, 9 procMount *string:ProcMountType,
  10 windowsOptions *WindowsSecurityContextOptions, 11 seccompProfile *SeccompProfile,
  12 appArmorProfile *AppArmorProfile
SleepAction: 1 seconds int64!
Sysctl: 1 name string!, 2 value string!
TCPSocketAction: 1 port IntOrString!, 2 host string
Toleration: 1 key string, 2 operator string:TolerationOperator, 3 value string,
  4 effect string:TaintEffect, 5 tolerationSeconds *int64
TopologySpreadConstraint: 1 maxSkew int32!, 2 topologyKey string!,
  3 whenUnsatisfiable string:UnsatisfiableConstraintAction!, 4 labelSelector *meta.LabelSelector,
  5 minDomains *int32, 6 nodeAffinityPolicy *string:NodeInclusionPolicy,
  7 nodeTaintsPolicy *string:NodeInclusionPolicy, 8 matchLabelKeys []string
VolumeDevice: 1 name string!, 2 devicePath string!
VolumeMount: 1 name string!, 2 readOnly bool, 3 mountPath string!, 4 subPath string,
  5 mountPropagation *string:MountPropagationMode, 6 subPathExpr string,
  7 recursiveReadOnly *string:RecursiveReadOnlyMode
VolumeMountStatus: 1 name string!, 2 mountPath string!, 3 readOnly bool,
  4 recursiveReadOnly *string:RecursiveReadOnlyMode
WeightedPodAffinityTerm: 1 weight int32!, 2 podAffinityTerm PodAffinityTerm!
WindowsSecurityContextOptions: 1 gmsaCredentialSpecName *string, 2 gmsaCredentialSpec *string,
  3 runAsUserName *string, 4 hostProcess *bool
`
