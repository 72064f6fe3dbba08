/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.test;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A network between a client and one Redis server that a test can cut, hang and slow
 * down, and that counts the commands which pass. Addresses that the server itself hands
 * out, as Cluster and Sentinel do, lead past it.
 */
public final class TcpProxy implements AutoCloseable {

	private static final int BUFFER_SIZE = 16 * 1024;

	private final RedisEndpoint target;

	private final int port;

	private final RespCommandCounts counts = new RespCommandCounts();

	private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

	private final Object monitor = new Object();

	private volatile Duration latency = Duration.ZERO;

	private boolean hanging;

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
		this.sockets.forEach(TcpProxy::closeQuietly);
	}

	/**
	 * Forwards nothing until {@link #resume()}: connections stay open and new ones are
	 * accepted, as when a firewall drops packets.
	 */
	public void hang() {
		synchronized (this.monitor) {
			this.hanging = true;
		}
	}

	/**
	 * Ends {@link #cut()} and {@link #hang()}. What a hanging proxy has held back is
	 * delivered.
	 */
	public void resume() {
		synchronized (this.monitor) {
			this.hanging = false;
			this.monitor.notifyAll();
			if (this.listener == null) {
				listen();
			}
		}
	}

	/**
	 * Holds back what clients send.
	 * @param latency how long, zero for not at all
	 */
	public void latency(Duration latency) {
		this.latency = latency;
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
			Socket client = opened.accept();
			this.sockets.add(client);
			start("connect", () -> connect(client));
		}
	}

	private void connect(Socket client) throws IOException {
		try (client; Socket server = new Socket(this.target.host(), this.target.port())) {
			this.sockets.add(server);
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
			start("replies", () -> forward(server, client, null));
			forward(client, server, this.counts.newConnection());
		}
		finally {
			this.sockets.remove(client);
		}
	}

	private void forward(Socket from, Socket to, RespCommandCounts.@Nullable Connection connection) throws IOException {
		byte[] buffer = new byte[BUFFER_SIZE];
		try (from; to) {
			InputStream input = from.getInputStream();
			OutputStream output = to.getOutputStream();
			for (int length = input.read(buffer); length >= 0; length = input.read(buffer)) {
				awaitRelease();
				if (connection != null) {
					holdBack();
					connection.sent(buffer, length);
				}
				output.write(buffer, 0, length);
			}
		}
		finally {
			this.sockets.remove(from);
			this.sockets.remove(to);
		}
	}

	private void awaitRelease() throws IOException {
		synchronized (this.monitor) {
			while (this.hanging) {
				try {
					this.monitor.wait();
				}
				catch (InterruptedException ex) {
					throw new IOException(ex);
				}
			}
		}
	}

	private void holdBack() throws IOException {
		try {
			TimeUnit.NANOSECONDS.sleep(this.latency.toNanos());
		}
		catch (InterruptedException ex) {
			throw new IOException(ex);
		}
	}

	@Override
	public void close() {
		cut();
		synchronized (this.monitor) {
			this.hanging = false;
			this.monitor.notifyAll();
		}
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

	@FunctionalInterface
	private interface Task {

		void run() throws IOException;

	}

}
