// Package suite is Kubernetes' own end-to-end tests in one binary, as k8s.io/kubernetes/test/e2e builds them, with two additions: every test has a time
// limit, and what became of each is written to a file as it ends.
package suite

import (
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	conformance "k8s.io/kubernetes/test/conformance/testdata"
	"k8s.io/kubernetes/test/e2e"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	"k8s.io/kubernetes/test/e2e/framework/testfiles"
	manifests "k8s.io/kubernetes/test/e2e/testing-manifests"
	fixtures "k8s.io/kubernetes/test/fixtures"

	_ "k8s.io/kubernetes/test/e2e/feature"

	_ "k8s.io/kubernetes/test/e2e/apimachinery"
	_ "k8s.io/kubernetes/test/e2e/apps"
	_ "k8s.io/kubernetes/test/e2e/architecture"
	_ "k8s.io/kubernetes/test/e2e/auth"
	_ "k8s.io/kubernetes/test/e2e/common"
	_ "k8s.io/kubernetes/test/e2e/dra"
	_ "k8s.io/kubernetes/test/e2e/instrumentation"
	_ "k8s.io/kubernetes/test/e2e/kubectl"
	_ "k8s.io/kubernetes/test/e2e/network"
	_ "k8s.io/kubernetes/test/e2e/node"
	_ "k8s.io/kubernetes/test/e2e/scheduling"
	_ "k8s.io/kubernetes/test/e2e/storage"

	_ "k8s.io/kubernetes/test/e2e/framework/debug/init"
	_ "k8s.io/kubernetes/test/e2e/framework/metrics/init"
	_ "k8s.io/kubernetes/test/e2e/framework/node/init"
)

var (
	list  = flag.Bool("list", false, "print the conformance tests, as Kubernetes lists them, and end")
	limit = flag.Duration("limit", 2*time.Minute, "how long each test may take")
	out   = flag.String("results", "", "the file that gets a line of JSON for each test that has ended")
)

func TestMain(m *testing.M) {
	config.CopyFlags(config.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	flag.Parse()
	testfiles.AddFileSource(manifests.GetE2ETestingManifestsFS())
	testfiles.AddFileSource(fixtures.GetTestFixturesFS())
	testfiles.AddFileSource(conformance.GetConformanceTestdataFS())
	if *list {
		tests, err := testfiles.Read("test/conformance/testdata/conformance.yaml")
		if err != nil {
			panic(err)
		}
		_, _ = os.Stdout.Write(tests)
		return
	}
	framework.AfterReadingAllFlags(&framework.TestContext)
	// The framework looks at a copy of the tree first, and what stands at its root before that is lost.
	ginkgo.ReportBeforeEach(begins)
	ginkgo.ReportAfterEach(ends)
	ginkgo.AddTreeConstructionNodeArgsTransformer(bounded)
	os.Exit(m.Run())
}

func TestE2E(t *testing.T) { e2e.RunE2ETests(t) }

// bounded gives a test its time limit, unless it has one. A test whose function takes no context can't be interrupted, and gets none.
func bounded(node types.NodeType, _ ginkgo.Offset, text string, args []any) (string, []any, []error) {
	if !node.Is(types.NodeTypeIt) {
		return text, args, nil
	}
	takesContext := false
	for _, arg := range args {
		if _, has := arg.(ginkgo.SpecTimeout); has {
			return text, args, nil
		}
		if kind := reflect.TypeOf(arg); kind != nil && kind.Kind() == reflect.Func && kind.NumIn() == 1 {
			takesContext = true
		}
	}
	if takesContext {
		args = append(args, ginkgo.SpecTimeout(*limit))
	}
	return text, args, nil
}

type result struct {
	Name    string  `json:"name"`
	State   string  `json:"state"`
	Seconds float64 `json:"seconds"`
	Message string  `json:"message,omitempty"`
}

// begins and ends write a line for each test that is run.
func begins(report ginkgo.SpecReport) {
	if !report.State.Is(types.SpecStateSkipped | types.SpecStatePending) {
		write(result{Name: report.FullText(), State: "started"})
	}
}

func ends(report ginkgo.SpecReport) {
	if report.NumAttempts == 0 {
		return
	}
	message := report.Failure.Message
	if message != "" {
		message = report.Failure.FailureNodeLocation.String() + ": " + message
	}
	write(result{report.FullText(), report.State.String(), report.RunTime.Seconds(), message})
}

func write(line result) {
	if *out == "" {
		return
	}
	file, err := os.OpenFile(*out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer file.Close()
	if err := json.NewEncoder(file).Encode(line); err != nil {
		panic(err)
	}
}
