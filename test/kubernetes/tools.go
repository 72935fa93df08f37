//go:build tools

// Package kubernetes pins the programs that scripts/kubernetes.sh builds.
package kubernetes

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
