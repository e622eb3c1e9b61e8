// Creates 500 nodes a second in ZooKeeper by its own client, each until it is known to be there, and counts how long it had to wait and what of it is not there at the end. Runs
// in a pod, from this source. It answers over HTTP as paced-writes.ts does.
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.Security;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

public final class ZookeeperLoad {
  private static final String MEMBERS =
      List.of(System.getenv("MEMBERS").split(",")).stream().map(member -> member + ":2181").collect(Collectors.joining(","));
  /** 500 writes a second. */
  private static final double EVERY_MS = 2;
  /** How many writes wait for an answer at a time. */
  private static final int WRITERS = 32;
  /** How long a write may take that is under way when the load is to end. */
  private static final double LAST_WRITES_MS = 60_000;
  /** How many nodes have one parent: a list of all of them is one answer. */
  private static final int EACH_PARENT = 1_000;
  private static final int SESSION_TIMEOUT_MS = 6_000;

  /** The writers share them. Each takes a member by chance, and another one when its connection is lost. */
  private final ZooKeeper[] sessions = new ZooKeeper[3];
  private final List<Future<Void>> writing = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final double startedAt = now();

  private final BitSet acknowledged = new BitSet();
  private final Map<String, Integer> refusals = new TreeMap<>();
  private int next;
  private double due;
  private double lastAck = Double.POSITIVE_INFINITY;
  private double longestGapMs;
  private double longestWaitMs;
  private volatile double deadline = Double.POSITIVE_INFINITY;
  private volatile boolean running = true;

  public static void main(String[] arguments) throws IOException {
    // The addresses of members are those of now. Java keeps an address for 30 seconds, and that there is none for 10, which no system property changes where java.security says so.
    Security.setProperty("networkaddress.cache.ttl", "1");
    Security.setProperty("networkaddress.cache.negative.ttl", "1");
    new ZookeeperLoad().run();
  }

  private void run() throws IOException {
    for (int writer = 0; writer < WRITERS; writer += 1) {
      int at = writer % sessions.length;
      writing.add(threads.submit(() -> writeAll(at)));
    }
    HttpServer server = HttpServer.create(new InetSocketAddress(8000), 0);
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  private static double now() {
    return System.nanoTime() / 1e6;
  }

  /** One of those that write: they share the numbers and the pace. */
  private Void writeAll(int at) throws Exception {
    while (running) {
      double rest = turn() - now();
      if (rest >= 1) Thread.sleep((long) rest);
      if (!running) break;
      double sentAt = now();
      int number = number();
      insist(() -> write(at, number));
      acknowledge(number, sentAt);
    }
    return null;
  }

  /** When the next write is due. The pace is kept on the average; what a break has cost is not made up for. */
  private synchronized double turn() {
    return due = Math.max(due + EVERY_MS, now() - 10 * EVERY_MS);
  }

  private synchronized int number() {
    return next++;
  }

  private synchronized void acknowledge(int number, double sentAt) {
    double now = now();
    acknowledged.set(number);
    longestGapMs = Math.max(longestGapMs, now - lastAck);
    longestWaitMs = Math.max(longestWaitMs, now - sentAt);
    lastAck = now;
  }

  private synchronized void note(KeeperException refusal) {
    refusals.merge(refusal.code().name(), 1, Integer::sum);
  }

  /** Tries until ZooKeeper refuses nothing, or the time is up. */
  private <T> T insist(Callable<T> action) throws Exception {
    while (true) {
      try {
        return action.call();
      } catch (KeeperException refusal) {
        note(refusal);
        if (now() > deadline) throw refusal;
        Thread.sleep(5);
      }
    }
  }

  /** A session, and another one in its place once it has expired. */
  private ZooKeeper session(int at) throws IOException {
    synchronized (sessions) {
      if (sessions[at] == null || !sessions[at].getState().isAlive())
        sessions[at] = new ZooKeeper(MEMBERS, SESSION_TIMEOUT_MS, event -> {});
      return sessions[at];
    }
  }

  private static String parentOf(int number) {
    return "/load/" + number / EACH_PARENT;
  }

  private Void write(int at, int number) throws Exception {
    String path = parentOf(number) + "/" + number;
    try {
      create(at, path);
    } catch (KeeperException.NoNodeException none) {
      create(at, "/load");
      create(at, parentOf(number));
      create(at, path);
    }
    return null;
  }

  /**
   * Creates a node. After a lost connection that is asked for again, and answers whether the node is there: the leader says so, in the order of its writes, where a member that
   * is only looked at may be behind.
   */
  private void create(int at, String path) throws Exception {
    try {
      session(at).create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    } catch (KeeperException.NodeExistsException there) {
      // No other client has these names: this load has created it, and the answer was lost.
    }
  }

  /** How many of the acknowledged numbers are not there. */
  private int countLost() throws Exception {
    BitSet missing;
    synchronized (this) {
      missing = (BitSet) acknowledged.clone();
    }
    for (String parent : insist(() -> childrenOf("/load")))
      for (String child : insist(() -> childrenOf("/load/" + parent))) missing.clear(Integer.parseInt(child));
    return missing.cardinality();
  }

  /** The names of a node's children, by a member that has all writes of the leader. */
  private List<String> childrenOf(String path) throws Exception {
    ZooKeeper session = session(0);
    CompletableFuture<Integer> synced = new CompletableFuture<>();
    session.sync(path, (code, at, context) -> synced.complete(code), null);
    KeeperException.Code code = KeeperException.Code.get(synced.get());
    if (code != KeeperException.Code.OK) throw KeeperException.create(code, path);
    return session.getChildren(path, false);
  }

  private String finish() throws Exception {
    running = false;
    deadline = now() + LAST_WRITES_MS;
    for (Future<Void> writer : writing) writer.get();
    String counts = counts();
    return counts + ",\"lost\":" + countLost();
  }

  /** What has been counted. A gap that is not over yet counts as well. */
  private synchronized String counts() {
    String refused =
        refusals.entrySet().stream().map(each -> "\"" + each.getKey() + "\":" + each.getValue()).collect(Collectors.joining(","));
    double now = now();
    return String.format(
        Locale.ROOT,
        "\"acknowledged\":%d,\"longestGapMs\":%.3f,\"longestWaitMs\":%.3f,\"refusals\":{%s},\"seconds\":%.3f",
        acknowledged.cardinality(),
        Math.max(longestGapMs, now - lastAck),
        longestWaitMs,
        refused,
        (now - startedAt) / 1000);
  }

  private synchronized String reset() {
    String counts = counts();
    longestGapMs = 0;
    longestWaitMs = 0;
    return counts;
  }

  private String answer(String path) throws Exception {
    if (path.equals("/finish")) return finish();
    return path.equals("/reset") ? reset() : counts();
  }

  private void handle(HttpExchange exchange) throws IOException {
    int status = 200;
    String body;
    try {
      body = "{" + answer(exchange.getRequestURI().getPath()) + "}";
    } catch (Exception failed) {
      status = 500;
      body = failed.toString();
    }
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
