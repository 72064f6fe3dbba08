// SPDX-License-Identifier: Apache-2.0

package io.ge.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.Collections;
import java.util.Date;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaEnumConstant;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.jspecify.annotations.NullMarked;

import org.springframework.aop.Advisor;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/**
 * What {@link ArchitectureRules} wants of classes and ArchUnit has no words for.
 */
final class ArchitectureConditions {

	private static final Set<String> WALL_CLOCK_METHODS = Set.of("java.lang.System.currentTimeMillis",
			"java.util.Calendar.getInstance");

	private final String root;

	ArchitectureConditions(String root) {
		this.root = root;
	}

	/**
	 * The name of the package directly below the root that a class stands in, empty for
	 * the root itself and for foreign classes.
	 */
	private String placeOf(JavaClass type) {
		String name = type.getPackageName();
		if (!name.startsWith(this.root + ".")) {
			return "";
		}
		String below = name.substring(this.root.length() + 1);
		int dot = below.indexOf('.');
		return (dot < 0) ? below : below.substring(0, dot);
	}

	Predicate<JavaClass> resideBelow(Set<String> places) {
		return (type) -> places.contains(placeOf(type));
	}

	ArchCondition<JavaClass> resideInTheRootOrBelowOneOf(Set<String> places) {
		return condition("reside in the root package or below one of " + places, (type, report) -> {
			if (!type.getPackageName().equals(this.root) && !places.contains(placeOf(type))) {
				report.accept(type, "stands in " + type.getPackageName());
			}
		});
	}

	ArchCondition<JavaClass> stayWithinTheirOwnOf(Set<String> places) {
		return condition("use none of " + places + " but their own", (type, report) -> {
			for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
				String target = placeOf(dependency.getTargetClass().getBaseComponentType());
				if (places.contains(target) && !target.equals(placeOf(type))) {
					report.accept(type, dependency.getDescription());
				}
			}
		});
	}

	ArchCondition<JavaClass> mentionNoInternalTypeInTheirSignatures() {
		return condition("mention no internal type in their signatures", (type, report) -> {
			for (JavaMember member : type.getMembers()) {
				boolean seen = member.getModifiers().contains(JavaModifier.PUBLIC)
						|| member.getModifiers().contains(JavaModifier.PROTECTED);
				if (seen && signatureOf(member).anyMatch(ArchitectureConditions::isInternal)) {
					report.accept(type, member.getDescription());
				}
			}
		});
	}

	private static Stream<JavaClass> signatureOf(JavaMember member) {
		Set<JavaClass> types = new HashSet<>();
		if (member instanceof JavaCodeUnit code) {
			types.addAll(code.getReturnType().getAllInvolvedRawTypes());
			code.getParameterTypes().forEach((each) -> types.addAll(each.getAllInvolvedRawTypes()));
		}
		else if (member instanceof JavaField field) {
			types.addAll(field.getType().getAllInvolvedRawTypes());
		}
		return types.stream();
	}

	private static boolean isInternal(JavaClass type) {
		return (type.getPackageName() + ".").contains(".internal.");
	}

	ArchCondition<JavaClass> notListPatternsAsEnumConstants(Set<String> patterns) {
		return condition("have no enum constant named after a pattern", (type, report) -> {
			for (JavaEnumConstant constant : type.getEnumConstants()) {
				String name = constant.name().replace("_", "").toLowerCase(Locale.ROOT);
				if (patterns.contains(name)) {
					report.accept(type, "has the constant " + constant.name());
				}
			}
		});
	}

	ArchCondition<JavaClass> declareNoPublicMethods() {
		return condition("declare no public methods", (type, report) -> {
			for (JavaMethod method : type.getMethods()) {
				if (method.getModifiers().contains(JavaModifier.PUBLIC)) {
					report.accept(type, method.getDescription());
				}
			}
		});
	}

	ArchCondition<JavaClass> declarePostProcessorBeansStatic() {
		return beanMethodCondition("declare post-processor beans in static methods",
				(method) -> (makes(method, BeanPostProcessor.class) || makes(method, BeanFactoryPostProcessor.class))
						&& !method.getModifiers().contains(JavaModifier.STATIC));
	}

	ArchCondition<JavaClass> declareAdvisorBeansAsInfrastructure() {
		return beanMethodCondition("declare advisor beans with the infrastructure role",
				(method) -> makes(method, Advisor.class) && !hasInfrastructureRole(method));
	}

	private static boolean hasInfrastructureRole(JavaMethod method) {
		Optional<Role> role = method.tryGetAnnotationOfType(Role.class)
			.or(() -> method.getOwner().tryGetAnnotationOfType(Role.class));
		return role.isPresent() && role.get().value() == BeanDefinition.ROLE_INFRASTRUCTURE;
	}

	ArchCondition<JavaClass> declareNoClassConditionsOnBeanMethods() {
		return beanMethodCondition("declare class conditions on classes",
				(method) -> method.isAnnotatedWith(ConditionalOnClass.class)
						|| method.isAnnotatedWith(ConditionalOnMissingClass.class));
	}

	// The health contributor is named as it stands in answers of the endpoint
	ArchCondition<JavaClass> nameBeansAfterTheLibrary() {
		return beanMethodCondition("name beans geRedis...",
				(method) -> !method.getName().startsWith("geRedis")
						&& !method.getName().equals("geredisHealthIndicator")
						|| method.getAnnotationOfType(Bean.class).value().length > 0);
	}

	private static boolean makes(JavaMethod method, Class<?> type) {
		return method.getRawReturnType().isAssignableTo(type);
	}

	private static ArchCondition<JavaClass> beanMethodCondition(String description, Predicate<JavaMethod> violation) {
		return condition(description, (type, report) -> {
			for (JavaMethod method : type.getMethods()) {
				if (method.isAnnotatedWith(Bean.class) && violation.test(method)) {
					report.accept(type, method.getDescription());
				}
			}
		});
	}

	ArchCondition<JavaClass> resideInNullMarkedPackages() {
		return condition("reside in packages annotated with @NullMarked", (type, report) -> {
			boolean marked = type.getPackage()
				.tryGetPackageInfo()
				.filter((info) -> info.isAnnotatedWith(NullMarked.class))
				.isPresent();
			if (!marked) {
				report.accept(type, type.getPackageName() + " has no null-marked package-info");
			}
		});
	}

	ArchCondition<JavaClass> notSynchronize() {
		return condition("have no synchronized methods or blocks", (type, report) -> {
			for (JavaMethod method : type.getMethods()) {
				if (method.getModifiers().contains(JavaModifier.SYNCHRONIZED)) {
					report.accept(type, method.getDescription() + " is synchronized");
				}
			}
			if (entersMonitor(type)) {
				report.accept(type, "has a synchronized block");
			}
		});
	}

	ArchCondition<JavaClass> notWrapCollectionsToSynchronize() {
		return condition("not use collections that synchronize", (type, report) -> {
			for (JavaAccess<?> access : type.getAccessesFromSelf()) {
				if (access.getTargetOwner().isEquivalentTo(Collections.class)
						&& access.getName().startsWith("synchronized")) {
					report.accept(type, access.getDescription());
				}
			}
		});
	}

	// ArchUnit does not see instructions
	private static boolean entersMonitor(JavaClass type) {
		AtomicBoolean found = new AtomicBoolean();
		try (InputStream stream = type.getSource().orElseThrow().getUri().toURL().openStream()) {
			new ClassReader(stream).accept(new ClassVisitor(SpringAsmInfo.ASM_VERSION) {

				@Override
				public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
						String[] exceptions) {
					return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {

						@Override
						public void visitInsn(int opcode) {
							if (opcode == Opcodes.MONITORENTER) {
								found.set(true);
							}
						}

					};
				}

			}, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return found.get();
	}

	ArchCondition<JavaClass> notReadTheWallClock() {
		return condition("not read the wall clock", (type, report) -> {
			for (JavaAccess<?> access : type.getAccessesFromSelf()) {
				JavaClass target = access.getTargetOwner();
				String name = target.getName() + "." + access.getName();
				boolean now = target.getPackageName().equals("java.time") && access.getName().equals("now");
				boolean date = target.isEquivalentTo(Date.class) && access.getName().equals("<init>")
						&& access.getTarget().getFullName().endsWith("()");
				if (now || date || target.isEquivalentTo(Clock.class) || WALL_CLOCK_METHODS.contains(name)) {
					report.accept(type, access.getDescription());
				}
			}
			for (JavaField field : type.getFields()) {
				if (field.getRawType().isEquivalentTo(Clock.class)) {
					report.accept(type, field.getDescription());
				}
			}
		});
	}

	static DescribedPredicate<JavaClass> belongToBootButNotToItsConfigurationProperties() {
		return JavaClass.Predicates.resideInAPackage("org.springframework.boot..")
			.and(JavaClass.Predicates.resideOutsideOfPackage("org.springframework.boot.context.properties.."));
	}

	static DescribedPredicate<JavaClass> areNotPartOfRedisAdapters() {
		return DescribedPredicate.describe("are not part of a class named Redis*", (type) -> {
			JavaClass outermost = type;
			while (outermost.getEnclosingClass().isPresent()) {
				outermost = outermost.getEnclosingClass().get();
			}
			return !outermost.getSimpleName().startsWith("Redis");
		});
	}

	private static ArchCondition<JavaClass> condition(String description,
			BiConsumer<JavaClass, BiConsumer<JavaClass, String>> check) {
		return new ArchCondition<>(description) {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				check.accept(type, (violator, message) -> events
					.add(SimpleConditionEvent.violated(violator, violator.getName() + ": " + message)));
			}

		};
	}

}
