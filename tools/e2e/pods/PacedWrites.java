// What the loads that are written in Java have in common: the pace, what is counted, and the answers over HTTP, as in paced-writes.ts.
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.Security;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/** Writes, each number until it is acknowledged, and answers what has been counted. `/reset` begins a new span, `/finish` ends the load and reads everything back. */
abstract class PacedWrites {
  /** 500 writes a second. */
  private static final double EVERY_MS = 2;
  /** How long a write may take that is under way when the load is to end. */
  private static final double LAST_WRITES_MS = 60_000;

  /** What is longer is logged. */
  private static final double LONG_GAP_MS = 500;

  /** How many writes wait for an answer at a time. */
  private final int writers;

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

  PacedWrites(int writers) {
    this.writers = writers;
    // The addresses of members are those of now. Java keeps an address for 30 seconds, and that there is none for 10, which no system property changes where java.security says so.
    Security.setProperty("networkaddress.cache.ttl", "1");
    Security.setProperty("networkaddress.cache.negative.ttl", "1");
  }

  /** Writes this number, as one of the writers. Throws where it is not acknowledged: it is tried again then. */
  abstract void write(int number, int writer) throws Exception;

  /** Takes each number that is there out of these. */
  abstract void clearFound(BitSet missing) throws Exception;

  /** What a refusal is counted as. */
  abstract String wordFor(Exception refusal);

  /** What else is in an answer, beginning with a comma. */
  String more() {
    return "";
  }

  final void run() throws IOException {
    for (int writer = 0; writer < writers; writer += 1) {
      int at = writer;
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
  private Void writeAll(int writer) throws Exception {
    while (running) {
      double rest = turn() - now();
      if (rest >= 1) Thread.sleep((long) rest);
      if (!running) break;
      double sentAt = now();
      int number = number();
      insist(
          () -> {
            write(number, writer);
            return null;
          });
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
    // For whom looks in the members' logs what it was.
    if (now - lastAck > LONG_GAP_MS) System.out.printf("%s no write was acknowledged for %.0f ms%n", Instant.now(), now - lastAck);
    longestGapMs = Math.max(longestGapMs, now - lastAck);
    longestWaitMs = Math.max(longestWaitMs, now - sentAt);
    lastAck = now;
  }

  private synchronized void note(Exception refusal) {
    refusals.merge(wordFor(refusal), 1, Integer::sum);
  }

  /** Tries until nothing is refused, or the time is up. */
  final <T> T insist(Callable<T> action) throws Exception {
    while (true) {
      try {
        return action.call();
      } catch (Exception refusal) {
        note(refusal);
        if (now() > deadline) throw refusal;
        Thread.sleep(5);
      }
    }
  }

  private String finish() throws Exception {
    running = false;
    deadline = now() + LAST_WRITES_MS;
    for (Future<Void> writer : writing) writer.get();
    String counts = counts();
    BitSet missing = (BitSet) acknowledged.clone();
    clearFound(missing);
    return counts + ",\"lost\":" + missing.cardinality();
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
    return (path.equals("/reset") ? reset() : counts()) + more();
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
