// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

import java.lang.instrument.ClassFileTransformer;
import java.nio.charset.StandardCharsets;
import java.security.ProtectionDomain;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.matcher.ElementMatchers;
import org.jspecify.annotations.Nullable;

/**
 * A wall clock that is wrong: what {@code System.currentTimeMillis}, {@code java.time}
 * and {@code new Date()} tell to the classes of an application. The monotonic clock is
 * not touched. Inside the JDK only these three are shifted.
 */
public final class ShiftedClock {

	static final String PROPERTY = "ge.test.clock-ahead-millis";

	private static final byte[] METHOD = "currentTimeMillis".getBytes(StandardCharsets.US_ASCII);

	private ShiftedClock() {
	}

	/**
	 * What woven code calls instead of {@link System#currentTimeMillis()}.
	 * @return milliseconds, ahead of the system's
	 */
	public static long currentTimeMillis() {
		return System.currentTimeMillis() + Long.getLong(PROPERTY, 0);
	}

	static void install(Duration ahead) throws ClassNotFoundException {
		System.setProperty(PROPERTY, String.valueOf(ahead.toMillis()));
		Weaver.weave(Class.forName("java.time.Clock"),
				Advice.to(Now.class).on(ElementMatchers.named("currentInstant")));
		Weaver.weave(Class.forName("java.time.Clock$SystemClock"),
				Advice.to(Millis.class).on(ElementMatchers.named("millis")));
		Weaver.weave(Date.class,
				Advice.to(NewDate.class).on(ElementMatchers.isConstructor().and(ElementMatchers.takesNoArguments())));
		Weaver.instrumentation().addTransformer(new Calls());
	}

	/**
	 * May refer to nothing but the JDK, into which it is woven.
	 */
	static final class Now {

		@Advice.OnMethodExit
		static void shift(@Advice.Return(readOnly = false) Instant now) {
			now = now.plusMillis(Long.getLong("ge.test.clock-ahead-millis"));
		}

	}

	/**
	 * May refer to nothing but the JDK, into which it is woven.
	 */
	static final class Millis {

		@Advice.OnMethodExit
		static void shift(@Advice.Return(readOnly = false) long now) {
			now = now + Long.getLong("ge.test.clock-ahead-millis");
		}

	}

	/**
	 * May refer to nothing but the JDK, into which it is woven.
	 */
	static final class NewDate {

		@Advice.OnMethodExit
		static void shift(@Advice.This Date now) {
			now.setTime(now.getTime() + Long.getLong("ge.test.clock-ahead-millis"));
		}

	}

	/**
	 * Redirects the calls of {@link System#currentTimeMillis()}, which itself cannot be
	 * changed.
	 */
	private static final class Calls implements ClassFileTransformer {

		@Override
		public byte @Nullable [] transform(ClassLoader loader, String name, Class<?> type, ProtectionDomain domain,
				byte[] bytes) {
			if (loader != ShiftedClock.class.getClassLoader() || !calls(bytes)
					|| name.equals("io/ge/redis/test/instance/ShiftedClock")) {
				return null;
			}
			ClassReader reader = new ClassReader(bytes);
			ClassWriter writer = new ClassWriter(reader, 0);
			reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {

				@Override
				public MethodVisitor visitMethod(int access, String method, String descriptor,
						@Nullable String signature, String @Nullable [] exceptions) {
					return redirect(super.visitMethod(access, method, descriptor, signature, exceptions));
				}

			}, 0);
			return writer.toByteArray();
		}

		private static MethodVisitor redirect(MethodVisitor visitor) {
			return new MethodVisitor(Opcodes.ASM9, visitor) {

				@Override
				public void visitMethodInsn(int opcode, String owner, String method, String descriptor,
						boolean onInterface) {
					boolean wallClock = owner.equals("java/lang/System") && method.equals("currentTimeMillis");
					super.visitMethodInsn(opcode, wallClock ? "io/ge/redis/test/instance/ShiftedClock" : owner, method,
							descriptor, onInterface);
				}

			};
		}

		private static boolean calls(byte[] bytes) {
			for (int i = 0; i <= bytes.length - METHOD.length; i++) {
				int length = 0;
				while (length < METHOD.length && bytes[i + length] == METHOD[length]) {
					length++;
				}
				if (length == METHOD.length) {
					return true;
				}
			}
			return false;
		}

	}

}
