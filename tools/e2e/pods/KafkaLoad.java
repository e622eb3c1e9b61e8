// Sends 500 records a second to one partition of Kafka by its own client, each until all replicas in step have it, and counts how long it had to wait and what of it is not there at
// the end. Runs in a pod, from this source.
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.IntegerSerializer;

public final class KafkaLoad extends PacedWrites {
  private static final String TOPIC = "load";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  private static final String MEMBERS =
      List.of(System.getenv("MEMBERS").split(",")).stream().map(member -> member + ":9092").collect(Collectors.joining(","));

  private final KafkaProducer<Integer, Integer> producer = new KafkaProducer<>(settings(), new IntegerSerializer(), new IntegerSerializer());

  private KafkaLoad() {
    super(32);
  }

  public static void main(String[] arguments) throws Exception {
    KafkaLoad load = new KafkaLoad();
    load.insist(KafkaLoad::makeTopic);
    load.run();
  }

  /** A broker that does not answer is given up soon, and who leads is asked for again at once. */
  private static Map<String, Object> settings() {
    return Map.ofEntries(
        Map.entry("bootstrap.servers", MEMBERS),
        Map.entry("acks", "all"),
        Map.entry("linger.ms", 0),
        Map.entry("request.timeout.ms", 1_000),
        Map.entry("delivery.timeout.ms", 3_000),
        Map.entry("max.block.ms", 3_000L),
        Map.entry("retry.backoff.ms", 20L),
        Map.entry("reconnect.backoff.ms", 20L),
        Map.entry("reconnect.backoff.max.ms", 200L),
        Map.entry("metadata.max.age.ms", 1_000L),
        Map.entry("socket.connection.setup.timeout.ms", 500L));
  }

  /** One partition: while no broker leads it, nothing is acknowledged. */
  private static Void makeTopic() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", MEMBERS))) {
      admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 3))).all().get();
    } catch (ExecutionException failed) {
      if (!(failed.getCause() instanceof TopicExistsException)) throw failed;
    }
    return null;
  }

  @Override
  String wordFor(Exception refusal) {
    Throwable cause = refusal instanceof ExecutionException && refusal.getCause() != null ? refusal.getCause() : refusal;
    return cause.getClass().getSimpleName();
  }

  @Override
  String more() {
    return ",\"leader\":\"" + leader() + "\"";
  }

  /** The host of the broker that leads the partition; empty while none is known, as after a full stop. */
  private String leader() {
    try {
      Node leader = producer.partitionsFor(TOPIC).get(0).leader();
      return leader == null ? "" : leader.host();
    } catch (TimeoutException unknown) {
      return "";
    }
  }

  @Override
  void write(int number, int writer) throws Exception {
    producer.send(new ProducerRecord<>(TOPIC, 0, number, number)).get();
  }

  @Override
  void clearFound(BitSet missing) throws Exception {
    insist(
        () -> {
          try (KafkaConsumer<Integer, Integer> consumer =
              new KafkaConsumer<>(Map.of("bootstrap.servers", MEMBERS), new IntegerDeserializer(), new IntegerDeserializer())) {
            consumer.assign(List.of(PARTITION));
            consumer.seekToBeginning(List.of(PARTITION));
            long end = consumer.endOffsets(List.of(PARTITION)).get(PARTITION);
            while (consumer.position(PARTITION) < end)
              for (ConsumerRecord<Integer, Integer> found : consumer.poll(Duration.ofSeconds(1))) missing.clear(found.key());
            return null;
          }
        });
  }
}
