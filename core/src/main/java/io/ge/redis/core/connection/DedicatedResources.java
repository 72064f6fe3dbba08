// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.SocketAddress;
import java.time.Duration;

import io.lettuce.core.protocol.RedisHandshakeHandler;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import org.jspecify.annotations.Nullable;

/**
 * The application's resources with a short delay between two attempts to reach a node.
 * Calls that are made together leave its connections together.
 * <p>
 * A view, not one of the driver's copies: those complain in the log unless they are shut
 * down, and shutting one down would take the threads from the application. A proxy, since
 * the interface has other methods in each generation of the driver.
 */
final class DedicatedResources implements InvocationHandler {

	private static final Delay DELAY = Delay.constant(Duration.ofMillis(250));

	private final ClientResources resources;

	private DedicatedResources(ClientResources resources) {
		this.resources = resources;
	}

	static ClientResources of(ClientResources resources) {
		return (ClientResources) Proxy.newProxyInstance(ClientResources.class.getClassLoader(),
				new Class<?>[] { ClientResources.class }, new DedicatedResources(resources));
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
			throws Throwable {
		if (method.getName().equals("reconnectDelay")) {
			return DELAY;
		}
		try {
			Object resource = method.invoke(this.resources, arguments);
			return (resource instanceof NettyCustomizer customizer) ? new FlushCustomizer(customizer) : resource;
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
	}

	private record FlushCustomizer(NettyCustomizer application) implements NettyCustomizer {

		@Override
		public void afterBootstrapInitialized(Bootstrap bootstrap) {
			this.application.afterBootstrapInitialized(bootstrap);
		}

		@Override
		public void afterChannelInitialized(Channel channel) {
			channel.pipeline().addFirst(new FlushHandler(), new RefusalHandler());
			this.application.afterChannelInitialized(channel);
		}

	}

	/**
	 * Ends the handshake of a connection that the server refuses. The driver would do so
	 * when its time is over, and complain if the application has closed by then.
	 */
	private static final class RefusalHandler extends ChannelOutboundHandlerAdapter {

		@Override
		public void connect(ChannelHandlerContext context, SocketAddress server, SocketAddress local,
				ChannelPromise promise) {
			RedisHandshakeHandler handshake = context.pipeline().get(RedisHandshakeHandler.class);
			promise.addListener((connected) -> {
				if (!connected.isSuccess()) {
					handshake.channelInitialized().toCompletableFuture().completeExceptionally(connected.cause());
				}
			});
			context.connect(server, local, promise);
		}

	}

}
