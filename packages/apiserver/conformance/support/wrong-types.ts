/** Bodies with a value of the wrong type, and the message of kube-apiserver 1.32 after `cannot be handled as a <kind>: `. */
export const wrongTypes: Readonly<
  Record<string, readonly (readonly [body: string, message: string])[]>
> = {
  '/api/v1/namespaces/<>/configmaps': [
    [
      '{"metadata":{},"data":{"a":1}}',
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
    [
      '{"metadata":{},"data":"x"}',
      'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string',
    ],
    ['{"metadata":{},"binaryData":{"a":"%%"}}', 'illegal base64 data at input byte 0'],
    ['{"metadata":{},"binaryData":{"a":"YQ"}}', 'illegal base64 data at input byte 0'],
    ['{"metadata":{},"binaryData":{"a":"YWI=x"}}', 'illegal base64 data at input byte 4'],
    [
      '{"metadata":{},"binaryData":{"a":5}}',
      'json: cannot unmarshal number into Go struct field ConfigMap.binaryData of type []uint8',
    ],
    [
      '{"metadata":{},"binaryData":{"a":[97,300]}}',
      'json: cannot unmarshal number 300 into Go struct field ConfigMap.binaryData of type uint8',
    ],
    [
      '{"metadata":{},"immutable":"yes"}',
      'json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool',
    ],
    [
      '{"metadata":{"name":1}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
    ],
    [
      '{"metadata":[]}',
      'json: cannot unmarshal array into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
    ],
    [
      '{"metadata":{"name":"a","labels":{"x":true}}}',
      'json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      '{"metadata":{"name":"a","uid":1}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.uid of type types.UID',
    ],
    [
      '{"metadata":{"name":"a","generation":1.5}}',
      'json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64',
    ],
    [
      '{"metadata":{"name":"a","generation":9223372036854775808}}',
      'json: cannot unmarshal number 9223372036854775808 into Go struct field ObjectMeta.metadata.generation of type int64',
    ],
    [
      '{"metadata":{"name":"a","creationTimestamp":5}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [
      '{"metadata":{"name":"a","creationTimestamp":"yesterday"}}',
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ],
    [
      '{"metadata":{"name":"a","creationTimestamp":"2020-13-01T00:00:00Z"}}',
      'parsing time "2020-13-01T00:00:00Z": month out of range',
    ],
    [
      '{"metadata":{"name":"a","creationTimestamp":"2020-01-01"}}',
      'parsing time "2020-01-01" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"',
    ],
    [
      '{"metadata":{"name":"a","creationTimestamp":{}}}',
      'json: cannot unmarshal object into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
    [
      '{"metadata":{"name":"a","finalizers":{}}}',
      'json: cannot unmarshal object into Go struct field ObjectMeta.metadata.finalizers of type []string',
    ],
    [
      '{"metadata":{"name":"a","finalizers":[1]}}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.finalizers of type string',
    ],
    [
      '{"metadata":{"name":"a","ownerReferences":[{"controller":"x"}]}}',
      'json: cannot unmarshal string into Go struct field OwnerReference.metadata.ownerReferences.controller of type bool',
    ],
    [
      '{"metadata":{"name":"a","managedFields":[{"fieldsV1":5,"operation":5}]}}',
      'json: cannot unmarshal number into Go struct field ManagedFieldsEntry.metadata.managedFields.operation of type v1.ManagedFieldsOperationType',
    ],
    [
      '{"metadata":{},"data":[1],"immutable":"x"}',
      'json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      '{"data":[1],"metadata":{"name":"a","creationTimestamp":5},"immutable":"x"}',
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
    ],
  ],
  '/api/v1/namespaces/<>/secrets': [
    [
      '{"metadata":{},"type":5}',
      'json: cannot unmarshal number into Go struct field Secret.type of type v1.SecretType',
    ],
    ['{"metadata":{},"data":{"a":"not base64!"}}', 'illegal base64 data at input byte 3'],
    [
      '{"metadata":{},"stringData":{"a":{}}}',
      'json: cannot unmarshal object into Go struct field Secret.stringData of type string',
    ],
  ],
  '/api/v1/namespaces/<>/pods': [
    [
      '{"metadata":{},"spec":{"containers":{}}}',
      'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"ports":[{"containerPort":"80"}]}]}}',
      'json: cannot unmarshal string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"ports":[{"containerPort":3000000000}]}]}}',
      'json: cannot unmarshal number 3000000000 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"ports":[{"containerPort":80.0}]}]}}',
      'json: cannot unmarshal number 80.0 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"ports":[{"containerPort":8e1}]}]}}',
      'json: cannot unmarshal number 8e1 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"env":[{"name":"x","value":1}]}]}}',
      'json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value of type string',
    ],
    [
      '{"metadata":{},"spec":{"containers":["m"]}}',
      'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type v1.Container',
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"resources":{"limits":{"cpu":"lots"}}}]}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"resources":{"limits":{"cpu":true}}}]}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"resources":{"limits":{"cpu":{"a":1}}}}]}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"resources":{"limits":{"cpu":""}}}]}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"resources":{"limits":{"cpu":"1Xi"}}}]}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"resources":{"limits":{"cpu":"1.2.3"}}}]}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"resources":{"limits":[]}}]}}',
      'json: cannot unmarshal array into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList',
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":true}}}]}}',
      'json: cannot unmarshal bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.httpGet.port of type int32',
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":1.5}}}]}}',
      'json: cannot unmarshal number 1.5 into Go struct field HTTPGetAction.spec.containers.livenessProbe.httpGet.port of type int32',
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":{}}}}]}}',
      'json: cannot unmarshal object into Go struct field HTTPGetAction.spec.containers.livenessProbe.httpGet.port of type int32',
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":[1]}}}]}}',
      'json: cannot unmarshal array into Go struct field HTTPGetAction.spec.containers.livenessProbe.httpGet.port of type int32',
    ],
    [
      '{"metadata":{},"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":5000000000}}}]}}',
      'json: cannot unmarshal number 5000000000 into Go struct field HTTPGetAction.spec.containers.livenessProbe.httpGet.port of type int32',
    ],
    [
      '{"metadata":{},"spec":{"restartPolicy":1,"containers":[]}}',
      'json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy',
    ],
    [
      '{"metadata":{},"spec":{"volumes":[{"name":"v","hostPath":"x"}]}}',
      'json: cannot unmarshal string into Go struct field Volume.spec.volumes.hostPath of type v1.HostPathVolumeSource',
    ],
    [
      '{"metadata":{},"spec":{"volumes":[{"name":"v","emptyDir":{"sizeLimit":"x"}}]}}',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      '{"metadata":{},"spec":{"volumes":[{"name":"v","secret":{"defaultMode":"0644"}}]}}',
      'json: cannot unmarshal string into Go struct field SecretVolumeSource.spec.volumes.secret.defaultMode of type int32',
    ],
    [
      '{"metadata":{},"spec":"x"}',
      'json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec',
    ],
  ],
  '/api/v1/namespaces/<>/services': [
    [
      '{"metadata":{},"spec":{"ports":[{"port":80,"targetPort":{"a":1}}]}}',
      'json: cannot unmarshal object into Go struct field ServicePort.spec.ports.targetPort of type int32',
    ],
    [
      '{"metadata":{},"spec":{"ipFamilies":[4]}}',
      'json: cannot unmarshal number into Go struct field ServiceSpec.spec.ipFamilies of type v1.IPFamily',
    ],
    [
      '{"metadata":{},"spec":{"type":1}}',
      'json: cannot unmarshal number into Go struct field ServiceSpec.spec.type of type v1.ServiceType',
    ],
  ],
  '/api/v1/nodes': [
    [
      '{"metadata":{},"spec":{"unschedulable":"true"}}',
      'json: cannot unmarshal string into Go struct field NodeSpec.spec.unschedulable of type bool',
    ],
    [
      '{"metadata":{},"spec":{"taints":[{"key":"a","effect":5}]}}',
      'json: cannot unmarshal number into Go struct field Taint.spec.taints.effect of type v1.TaintEffect',
    ],
    [
      '{"metadata":{},"status":{"conditions":[{"type":"Ready","status":true}]}}',
      'json: cannot unmarshal bool into Go struct field NodeCondition.status.conditions.status of type v1.ConditionStatus',
    ],
  ],
  '/api/v1/namespaces': [
    [
      '{"metadata":{},"spec":{"finalizers":[1]}}',
      'json: cannot unmarshal number into Go struct field NamespaceSpec.spec.finalizers of type v1.FinalizerName',
    ],
  ],
  '/api/v1/namespaces/<>/serviceaccounts': [
    [
      '{"metadata":{},"secrets":["x"]}',
      'json: cannot unmarshal string into Go struct field ServiceAccount.secrets of type v1.ObjectReference',
    ],
  ],
  '/api/v1/namespaces/<>/events': [
    [
      '{"metadata":{},"involvedObject":"x"}',
      'json: cannot unmarshal string into Go struct field Event.involvedObject of type v1.ObjectReference',
    ],
    [
      '{"metadata":{},"count":"1"}',
      'json: cannot unmarshal string into Go struct field Event.count of type int32',
    ],
  ],
  '/apis/events.k8s.io/v1/namespaces/<>/events': [
    [
      '{"metadata":{},"eventTime":"2020-01-01T00:00:00Z"}',
      'parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
    [
      '{"metadata":{},"eventTime":5}',
      'json: cannot unmarshal number into Go struct field Event.eventTime of type string',
    ],
  ],
  '/apis/coordination.k8s.io/v1/namespaces/<>/leases': [
    [
      '{"metadata":{},"spec":{"renewTime":"2020-01-01T00:00:00Z"}}',
      'parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
    [
      '{"metadata":{},"spec":{"renewTime":"now"}}',
      'parsing time "now" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "now" as "2006"',
    ],
    [
      '{"metadata":{},"spec":{"leaseDurationSeconds":"15"}}',
      'json: cannot unmarshal string into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
    ],
  ],
  '/apis/apps/v1/namespaces/<>/deployments': [
    [
      '{"metadata":{},"spec":{"replicas":"3"}}',
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      '{"metadata":{},"spec":{"strategy":{"rollingUpdate":{"maxSurge":false}}}}',
      'json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    ],
    [
      '{"metadata":{},"spec":{"selector":{"matchLabels":{"a":1}}}}',
      'json: cannot unmarshal number into Go struct field LabelSelector.spec.selector.matchLabels of type string',
    ],
  ],
  '/apis/apps/v1/namespaces/<>/daemonsets': [
    [
      '{"metadata":{},"spec":{"template":{"spec":{"nodeSelector":{"a":1}}}}}',
      'json: cannot unmarshal number into Go struct field PodSpec.spec.template.spec.nodeSelector of type string',
    ],
  ],
  '/apis/rbac.authorization.k8s.io/v1/clusterroles': [
    [
      '{"metadata":{},"rules":[{"verbs":"get"}]}',
      'json: cannot unmarshal string into Go struct field PolicyRule.rules.verbs of type []string',
    ],
    [
      '{"metadata":{},"aggregationRule":[]}',
      'json: cannot unmarshal array into Go struct field ClusterRole.aggregationRule of type v1.AggregationRule',
    ],
  ],
  '/apis/rbac.authorization.k8s.io/v1/namespaces/<>/rolebindings': [
    [
      '{"metadata":{},"subjects":[{"kind":1}]}',
      'json: cannot unmarshal number into Go struct field Subject.subjects.kind of type string',
    ],
  ],
  '/apis/certificates.k8s.io/v1/certificatesigningrequests': [
    [
      '{"metadata":{},"spec":{"request":"!!","expirationSeconds":"1"}}',
      'illegal base64 data at input byte 0',
    ],
    [
      '{"metadata":{},"spec":{"usages":"x"}}',
      'json: cannot unmarshal string into Go struct field CertificateSigningRequestSpec.spec.usages of type []v1.KeyUsage',
    ],
    [
      '{"metadata":{},"spec":{"extra":{"a":"x"}}}',
      'json: cannot unmarshal string into Go struct field CertificateSigningRequestSpec.spec.extra of type v1.ExtraValue',
    ],
    [
      '{"metadata":{},"spec":{"extra":{"a":[1]}}}',
      'json: cannot unmarshal number into Go struct field CertificateSigningRequestSpec.spec.extra of type string',
    ],
  ],
  '/apis/policy/v1/namespaces/<>/poddisruptionbudgets': [
    [
      '{"metadata":{},"spec":{"minAvailable":[]}}',
      'json: cannot unmarshal array into Go struct field PodDisruptionBudgetSpec.spec.minAvailable of type int32',
    ],
  ],
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions': [
    [
      '{"metadata":{},"spec":{"versions":[{"name":"v1","served":"yes"}]}}',
      'json: cannot unmarshal string into Go struct field CustomResourceDefinitionVersion.spec.versions.served of type bool',
    ],
    [
      '{"metadata":{},"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"type":5}}}}}]}}',
      'json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.type of type string',
    ],
    [
      '{"metadata":{},"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"additionalProperties":5}}}}}]}}',
      'boolean or JSON schema expected',
    ],
    [
      '{"metadata":{},"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"additionalProperties":{"type":5}}}}}}]}}',
      'json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.additionalProperties of type string',
    ],
    [
      '{"metadata":{},"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{"a":{"items":{"maximum":"x"}}}}}}]}}',
      'json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items of type float64',
    ],
    [
      '{"metadata":{},"spec":{"versions":[{"schema":{"openAPIV3Schema":{"maxLength":1.5,"x-kubernetes-validations":"x"}}}]}}',
      'json: cannot unmarshal number 1.5 into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.maxLength of type int64',
    ],
    [
      '{"metadata":{},"spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":[{"maximum":"x"}]}}}]}}',
      'json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items of type float64',
    ],
    [
      '{"metadata":{},"spec":{"versions":[{"schema":{"openAPIV3Schema":{"dependencies":{"a":[1]}}}}]}}',
      'json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.dependencies of type string',
    ],
  ],
  '/apis/authorization.k8s.io/v1/subjectaccessreviews': [
    [
      '{"spec":{"user":1}}',
      'json: cannot unmarshal number into Go struct field SubjectAccessReviewSpec.spec.user of type string',
    ],
  ],
  '/apis/authentication.k8s.io/v1/tokenreviews': [
    [
      '{"spec":{"token":1}}',
      'json: cannot unmarshal number into Go struct field TokenReviewSpec.spec.token of type string',
    ],
  ],
}
