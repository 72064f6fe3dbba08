// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

/**
 * A network between a client and one Redis server that a test can cut, hang and slow
 * down, in which things get lost, and that counts the commands which pass. Whatever is
 * set holds for the connections that exist and for those to come. Addresses that the
 * server itself hands out, as Cluster and Sentinel do, lead past it.
 */
public final class TcpProxy implements AutoCloseable {

	/**
	 * Which way bytes flow.
	 */
	public enum Direction {

		/** From clients to the server. */
		REQUESTS,

		/** From the server to clients. */
		REPLIES

	}

	private volatile RedisEndpoint target;

	private final int port;

	private final RespCommandCounts counts = new RespCommandCounts();

	private final TcpLane requests = new TcpLane();

	private final TcpLane replies = new TcpLane();

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private final Object monitor = new Object();

	private @Nullable ServerSocket listener;

	private Thread acceptor;

	/**
	 * Listens on a free port of the loopback interface.
	 * @param target where to forward to
	 */
	public TcpProxy(RedisEndpoint target) {
		this.target = target;
		this.port = FreePorts.next();
		listen();
	}

	/**
	 * Closes all connections and leads new ones elsewhere, as an address does that moves
	 * to another server.
	 * @param other where to forward to
	 */
	public void redirect(RedisEndpoint other) {
		this.target = other;
		closeConnections();
	}

	public String host() {
		return "127.0.0.1";
	}

	public int port() {
		return this.port;
	}

	/**
	 * Closes all connections and refuses new ones until {@link #resume()}.
	 */
	public void cut() {
		synchronized (this.monitor) {
			closeQuietly(this.listener);
			this.listener = null;
			awaitEnd(this.acceptor);
		}
		closeConnections();
	}

	/**
	 * Closes all connections; new ones are accepted.
	 */
	public void closeConnections() {
		this.links.forEach(Link::close);
	}

	/**
	 * Forwards nothing until {@link #resume()}: connections stay open and new ones are
	 * accepted, as when a firewall drops packets for a while.
	 */
	public void hang() {
		hang(Direction.REQUESTS);
		hang(Direction.REPLIES);
	}

	/**
	 * Forwards nothing in one direction until {@link #resume()}.
	 * @param direction what is held back
	 */
	public void hang(Direction direction) {
		lane(direction).hold();
	}

	/**
	 * Loses what is sent in one direction until {@link #resume()}, the end of a
	 * connection included: the other side takes it for open, as if the peer had gone
	 * without a word. New connections are accepted and fare alike.
	 * @param direction what is lost
	 */
	public void swallow(Direction direction) {
		lane(direction).swallow();
	}

	/**
	 * Ends {@link #cut()}, {@link #hang()} and {@link #swallow}. What was held back is
	 * delivered; a connection that has lost something is reset, as by a peer that has
	 * come back and does not know it.
	 */
	public void resume() {
		this.requests.open();
		this.replies.open();
		synchronized (this.monitor) {
			if (this.listener == null) {
				listen();
			}
		}
	}

	/**
	 * Holds back what clients send, each packet for as long.
	 * @param latency how long, zero for not at all
	 */
	public void latency(Duration latency) {
		latency(Direction.REQUESTS, latency);
	}

	/**
	 * Holds back what flows in one direction, each packet for as long.
	 * @param direction what is held back
	 * @param latency how long, zero for not at all
	 */
	public void latency(Direction direction, Duration latency) {
		lane(direction).latency(latency);
	}

	/**
	 * Limits what flows on each connection.
	 * @param direction what is slowed down
	 * @param bytesPerSecond the rate, zero for no limit
	 */
	public void bandwidth(Direction direction, long bytesPerSecond) {
		lane(direction).bandwidth(bytesPerSecond);
	}

	/**
	 * Forwards so many more bytes, on whatever connections, and then resets the
	 * connection of the last one. This happens once.
	 * @param direction what is counted
	 * @param bytes how many arrive, perhaps none
	 */
	public void resetAfter(Direction direction, long bytes) {
		lane(direction).resetAfter(bytes);
	}

	/**
	 * How many connections were reset, by {@link #resetAfter} or after {@link #swallow}.
	 * @return the number since start
	 */
	public int resets() {
		return this.requests.resets() + this.replies.resets();
	}

	/**
	 * How many commands clients have sent, the handshakes of their connections included.
	 * A command is counted before the server sees it.
	 * @return the number since start or {@link #resetCounts()}
	 */
	public long commands() {
		return this.counts.total();
	}

	/**
	 * How often clients have sent one command.
	 * @param name the name in any case, such as {@code evalsha}
	 * @return the number since start or {@link #resetCounts()}
	 */
	public long commands(String name) {
		return this.counts.of(name);
	}

	/**
	 * Counts from zero.
	 */
	public void resetCounts() {
		this.counts.reset();
	}

	private TcpLane lane(Direction direction) {
		return (direction == Direction.REQUESTS) ? this.requests : this.replies;
	}

	private void listen() {
		try {
			ServerSocket opened = new ServerSocket();
			opened.setReuseAddress(true);
			opened.bind(new InetSocketAddress(InetAddress.getByName(host()), this.port));
			this.listener = opened;
			this.acceptor = start("accept", () -> accept(opened));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void accept(ServerSocket opened) throws IOException {
		while (true) {
			Link link = new Link(opened.accept());
			this.links.add(link);
			start("connect", () -> connect(link));
		}
	}

	private void connect(Link link) throws IOException {
		try {
			link.server.connect(new InetSocketAddress(this.target.host(), this.target.port()));
			link.client.setTcpNoDelay(true);
			link.server.setTcpNoDelay(true);
			start("replies", () -> this.replies.pump(link.server, link.client, link, this.requests, null));
			this.requests.pump(link.client, link.server, link, this.replies, this.counts.newConnection());
		}
		finally {
			link.close();
		}
	}

	@Override
	public void close() {
		cut();
		this.requests.open();
		this.replies.open();
	}

	/**
	 * Errors end the thread in silence: breaking connections is what this class is for.
	 */
	private static Thread start(String name, Task task) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (IOException ex) {
				// Expected
			}
		}, "tcp-proxy-" + name);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	/**
	 * The system goes on listening until the thread has left the call that accepts.
	 */
	private static void awaitEnd(Thread thread) {
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static void closeQuietly(@Nullable Closeable closeable) {
		try {
			if (closeable != null) {
				closeable.close();
			}
		}
		catch (IOException ex) {
			// It is of no more use either way
		}
	}

	/**
	 * A client and its connection to the server.
	 */
	private final class Link implements TcpLane.Link {

		private final Socket client;

		private final Socket server = new Socket();

		Link(Socket client) {
			this.client = client;
		}

		@Override
		public void reset() {
			abort(this.client);
			abort(this.server);
			close();
		}

		@Override
		public void close() {
			TcpProxy.this.links.remove(this);
			closeQuietly(this.client);
			closeQuietly(this.server);
		}

		/**
		 * Lets the connection end with RST instead of FIN.
		 */
		private static void abort(Socket socket) {
			try {
				socket.setSoLinger(true, 0);
			}
			catch (IOException ex) {
				// It is closed already
			}
		}

	}

	@FunctionalInterface
	private interface Task {

		void run() throws IOException;

	}

}
