// Reads kubelet configurations, one per line, and prints one letter for each with the result of the kubelet's own code:
// `+` it starts, `?` it ignores an unknown field, `-` it exits.
package main

import (
	"bufio"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/cli/flag"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/kubernetes/pkg/kubelet/apis/config"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/scheme"
	"k8s.io/kubernetes/pkg/kubelet/apis/config/validation"
	"k8s.io/kubernetes/pkg/kubelet/eviction"
)

func main() {
	if err := logsapi.AddFeatureGates(feature.DefaultMutableFeatureGate); err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		fmt.Println(verdict(lines.Bytes()))
	}
}

func verdict(text []byte) (letter string) {
	defer func() {
		if recover() != nil {
			letter = "-"
		}
	}()
	letter = "+"
	object, err := decode(text, serializer.EnableStrict)
	if err != nil {
		letter = "?"
		if object, err = decode(text, serializer.DisableStrict); err != nil {
			return "-"
		}
	}
	kubelet := object.(*config.KubeletConfiguration)
	if validation.ValidateKubeletConfiguration(kubelet, feature.DefaultFeatureGate) != nil || !reads(kubelet) {
		return "-"
	}
	return letter
}

func decode(text []byte, mode serializer.CodecFactoryOptionsMutator) (runtime.Object, error) {
	_, codecs, err := scheme.NewSchemeAndCodecs(mode)
	if err != nil {
		panic(err)
	}
	object, _, err := codecs.UniversalDecoder().Decode(text, nil, nil)
	return object, err
}

// Fields that the kubelet parses only at run time.
func reads(kubelet *config.KubeletConfiguration) bool {
	if _, err := eviction.ParseThresholdConfig(kubelet.EnforceNodeAllocatable, kubelet.EvictionHard, kubelet.EvictionSoft,
		kubelet.EvictionSoftGracePeriod, kubelet.EvictionMinimumReclaim); err != nil {
		return false
	}
	if _, err := flag.TLSCipherSuites(kubelet.TLSCipherSuites); err != nil {
		return false
	}
	if _, err := flag.TLSVersion(kubelet.TLSMinVersion); err != nil {
		return false
	}
	for _, reserved := range []map[string]string{kubelet.SystemReserved, kubelet.KubeReserved} {
		for name, amount := range reserved {
			quantity, err := resource.ParseQuantity(amount)
			known := name == "cpu" || name == "memory" || name == "ephemeral-storage" || name == "pid"
			if err != nil || !known || quantity.Sign() < 0 {
				return false
			}
		}
	}
	return true
}
