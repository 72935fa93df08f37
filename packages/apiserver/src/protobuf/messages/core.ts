export const coreMessages = `
kind ConfigMap: 1 metadata meta.ObjectMeta, 2 data map string, 3 binaryData map bytes,
  4 immutable *bool
kind Event: 1 metadata meta.ObjectMeta!, 2 involvedObject ObjectReference!, 3 reason string,
  4 message string, 5 source EventSource, 6 firstTimestamp Time, 7 lastTimestamp Time,
  8 count int32, 9 type string, 10 eventTime MicroTime, 11 series *EventSeries, 12 action string,
  13 related *ObjectReference, 14 reportingComponent string?, 15 reportingInstance string?
kind Namespace: 1 metadata meta.ObjectMeta, 2 spec NamespaceSpec, 3 status NamespaceStatus
kind Node: 1 metadata meta.ObjectMeta, 2 spec NodeSpec, 3 status NodeStatus
kind Secret: 1 metadata meta.ObjectMeta, 2 data map bytes, 3 type string:SecretType,
  4 stringData map string, 5 immutable *bool
kind Service: 1 metadata meta.ObjectMeta, 2 spec ServiceSpec, 3 status ServiceStatus
kind ServiceAccount: 1 metadata meta.ObjectMeta, 2 secrets []ObjectReference,
  3 imagePullSecrets []LocalObjectReference, 4 automountServiceAccountToken *bool
AttachedVolume: 1 name string:UniqueVolumeName!, 2 devicePath string!
ClientIPConfig: 1 timeoutSeconds *int32
ConfigMapNodeConfigSource: 1 namespace string!, 2 name string!, 3 uid string:types.UID,
  4 resourceVersion string, 5 kubeletConfigKey string!
ContainerImage: 1 names []string?, 2 sizeBytes int64
DaemonEndpoint: 1 Port int32!
EventSeries: 1 count int32, 2 lastObservedTime MicroTime
EventSource: 1 component string, 2 host string
LoadBalancerIngress: 1 ip string, 2 hostname string, 3 ipMode *string:LoadBalancerIPMode,
  4 ports []PortStatus
LoadBalancerStatus: 1 ingress []LoadBalancerIngress
LocalObjectReference: 1 name string
NamespaceCondition: 1 type string:NamespaceConditionType!, 2 status string:ConditionStatus!,
  4 lastTransitionTime Time, 5 reason string, 6 message string
NamespaceSpec: 1 finalizers []string:FinalizerName
NamespaceStatus: 1 phase string:NamespacePhase, 2 conditions []NamespaceCondition
NodeAddress: 1 type string:NodeAddressType!, 2 address string!
NodeCondition: 1 type string:NodeConditionType!, 2 status string:ConditionStatus!,
  3 lastHeartbeatTime Time, 4 lastTransitionTime Time, 5 reason string, 6 message string
NodeConfigSource: 2 configMap *ConfigMapNodeConfigSource
NodeConfigStatus: 1 assigned *NodeConfigSource, 2 active *NodeConfigSource,
  3 lastKnownGood *NodeConfigSource, 4 error string
NodeDaemonEndpoints: 1 kubeletEndpoint DaemonEndpoint
NodeFeatures: 1 supplementalGroupsPolicy *bool
NodeRuntimeHandler: 1 name string?, 2 features *NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures: 1 recursiveReadOnlyMounts *bool, 2 userNamespaces *bool
NodeSelector: 1 nodeSelectorTerms []NodeSelectorTerm!
NodeSelectorRequirement: 1 key string!, 2 operator string:NodeSelectorOperator!, 3 values []string
NodeSelectorTerm: 1 matchExpressions []NodeSelectorRequirement,
  2 matchFields []NodeSelectorRequirement
NodeSpec: 1 podCIDR string, 2 externalID string, 3 providerID string, 4 unschedulable bool,
  5 taints []Taint, 6 configSource *NodeConfigSource, 7 podCIDRs []string
NodeStatus: 1 capacity map Quantity:ResourceList, 2 allocatable map Quantity:ResourceList,
  3 phase string:NodePhase, 4 conditions []NodeCondition, 5 addresses []NodeAddress,
  6 daemonEndpoints NodeDaemonEndpoints, 7 nodeInfo NodeSystemInfo, 8 images []ContainerImage,
  9 volumesInUse []string:UniqueVolumeName, 10 volumesAttached []AttachedVolume,
  11 config *NodeConfigStatus, 12 runtimeHandlers []NodeRuntimeHandler, 13 features *NodeFeatures
NodeSystemInfo: 1 machineID string!, 2 systemUUID string!, 3 bootID string!,
  4 kernelVersion string!, 5 osImage string!, 6 containerRuntimeVersion string!,
  7 kubeletVersion string!, 8 kubeProxyVersion string!, 9 operatingSystem string!,
  10 architecture string!
ObjectFieldSelector: 1 apiVersion string, 2 fieldPath string!
ObjectReference: 1 kind string, 2 namespace string, 3 name string, 4 uid string:types.UID,
  5 apiVersion string, 6 resourceVersion string, 7 fieldPath string
PortStatus: 1 port int32!, 2 protocol string:Protocol!, 3 error *string
ResourceFieldSelector: 1 containerName string, 2 resource string!, 3 divisor Quantity
ServicePort: 1 name string, 2 protocol string:Protocol, 3 port int32!, 4 targetPort IntOrString,
  5 nodePort int32, 6 appProtocol *string
ServiceSpec: 1 ports []ServicePort, 2 selector map string, 3 clusterIP string,
  4 type string:ServiceType, 5 externalIPs []string, 7 sessionAffinity string:ServiceAffinity,
  8 loadBalancerIP string, 9 loadBalancerSourceRanges []string, 10 externalName string,
  11 externalTrafficPolicy string:ServiceExternalTrafficPolicy, 12 healthCheckNodePort int32,
  13 publishNotReadyAddresses bool, 14 sessionAffinityConfig *SessionAffinityConfig,
  17 ipFamilyPolicy *string:IPFamilyPolicy, 18 clusterIPs []string, 19 ipFamilies []string:IPFamily,
  20 allocateLoadBalancerNodePorts *bool, 21 loadBalancerClass *string,
  22 internalTrafficPolicy *string:ServiceInternalTrafficPolicy, 23 trafficDistribution *string
ServiceStatus: 1 loadBalancer LoadBalancerStatus, 2 conditions []meta.Condition
SessionAffinityConfig: 1 clientIP *ClientIPConfig
Taint: 1 key string!, 2 value string, 3 effect string:TaintEffect!, 4 timeAdded *Time
`
