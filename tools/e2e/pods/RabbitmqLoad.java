// Publishes 500 messages a second to a quorum queue of RabbitMQ by its own client, each until it is confirmed, and counts how long it had to wait and what of it is not there at the
// end. Runs in a pod, from this source.
import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.Envelope;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

public final class RabbitmqLoad extends PacedWrites {
  private static final String QUEUE = "load";
  private static final String[] MEMBERS = System.getenv("MEMBERS").split(",");
  private static final int WRITERS = 24;
  /** When a write is sent again that nothing was answered to. */
  private static final long ANSWER_MS = 5_000;
  /** How many messages are read for each word that they were. */
  private static final int BATCH = 500;

  /** The channel of each of those that write, on a connection of its own. */
  private final Channel[] channels = new Channel[WRITERS];
  /** Who has got a message back, which no queue took: it is confirmed as well. */
  private final boolean[] returned = new boolean[WRITERS];

  private RabbitmqLoad() {
    super(WRITERS);
  }

  public static void main(String[] arguments) throws Exception {
    RabbitmqLoad load = new RabbitmqLoad();
    load.insist(load::declare);
    load.run();
  }

  @Override
  String wordFor(Exception refusal) {
    return refusal.getClass().getSimpleName();
  }

  private Void declare() throws Exception {
    Channel channel = channel(0);
    try {
      channel.queueDeclare(QUEUE, true, false, false, Map.of("x-queue-type", "quorum"));
    } finally {
      close(channel);
    }
    return null;
  }

  /** A channel to the first member that takes connections. Writers begin with different ones, as clients of a Service do. */
  private static Channel channel(int writer) throws Exception {
    Exception refused = new IOException("no member");
    for (int at = 0; at < MEMBERS.length; at += 1) {
      ConnectionFactory factory = new ConnectionFactory();
      factory.setHost(MEMBERS[(writer + at) % MEMBERS.length]);
      factory.setUsername(System.getenv("USER_NAME"));
      factory.setPassword(System.getenv("PASSWORD"));
      factory.setAutomaticRecoveryEnabled(false);
      factory.setConnectionTimeout(1_000);
      factory.setHandshakeTimeout(3_000);
      factory.setRequestedHeartbeat(3);
      Connection connection = null;
      try {
        connection = factory.newConnection();
        return connection.createChannel();
      } catch (Exception refusal) {
        refused = refusal;
        if (connection != null) connection.abort(100);
      }
    }
    throw refused;
  }

  private static void close(Channel channel) {
    channel.getConnection().abort(100);
  }

  /** A message that is sent again may be stored twice. */
  @Override
  void write(int number, int writer) throws Exception {
    if (channels[writer] == null) {
      channels[writer] = channel(writer);
      channels[writer].confirmSelect();
      channels[writer].addReturnListener((code, text, exchange, key, properties, body) -> returned[writer] = true);
    }
    try {
      returned[writer] = false;
      byte[] body = Integer.toString(number).getBytes(StandardCharsets.US_ASCII);
      channels[writer].basicPublish("", QUEUE, true, MessageProperties.PERSISTENT_BASIC, body);
      channels[writer].waitForConfirmsOrDie(ANSWER_MS);
      if (returned[writer]) throw new IOException("no queue took it");
    } catch (Exception refusal) {
      close(channels[writer]);
      channels[writer] = null;
      throw refusal;
    }
  }

  @Override
  void clearFound(BitSet missing) throws Exception {
    insist(
        () -> {
          Channel channel = channel(0);
          try {
            read(channel, missing);
          } finally {
            close(channel);
          }
          return null;
        });
  }

  /** What was read is taken out of the queue. */
  private static void read(Channel channel, BitSet missing) throws Exception {
    long left = channel.queueDeclarePassive(QUEUE).getMessageCount();
    LinkedBlockingQueue<Integer> found = new LinkedBlockingQueue<>();
    channel.basicQos(2 * BATCH);
    channel.basicConsume(
        QUEUE,
        false,
        new DefaultConsumer(channel) {
          @Override
          public void handleDelivery(String tag, Envelope envelope, AMQP.BasicProperties properties, byte[] body) throws IOException {
            found.add(Integer.parseInt(new String(body, StandardCharsets.US_ASCII)));
            if (envelope.getDeliveryTag() % BATCH == 0) channel.basicAck(envelope.getDeliveryTag(), true);
          }
        });
    for (; left > 0; left -= 1) {
      Integer number = found.poll(30, TimeUnit.SECONDS);
      if (number == null) throw new IOException(left + " messages are missing");
      missing.clear(number);
    }
  }
}
