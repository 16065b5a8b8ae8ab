// Many states of a machine with loops through Pinocchio, one after the other, without Python: see closed_dynamics.py.
#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#include <pinocchio/constraints.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/loop-constrained-aba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <Eigen/LU>
#include <sstream>
#include <string>
#include <vector>

using namespace pinocchio;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace
{
  struct Machine
  {
    Model model;
    Data data;
    std::vector<RigidConstraintModel> constraints;
    std::vector<RigidConstraintData> stores;
    ProximalSettings settings;
    std::vector<int> driven, dependent, rows;
  };

  Vector3d vector(std::istream & in)
  {
    Vector3d x;
    in >> x[0] >> x[1] >> x[2];
    return x;
  }

  JointModel pin_about(const Vector3d & axis)
  {
    if (axis[0] > 0.5)
      return JointModelRX();
    if (axis[1] > 0.5)
      return JointModelRY();
    return JointModelRZ();
  }

  JointModel slider_along(const Vector3d & axis)
  {
    if (axis[0] > 0.5)
      return JointModelPX();
    if (axis[1] > 0.5)
      return JointModelPY();
    return JointModelPZ();
  }

  JointModel law(int kind, const Vector3d & w, const Vector3d & u)
  {
    if (kind == 0)
      return pin_about(w);
    if (kind == 1)
      return slider_along(w);
    if (kind == 2)
      return JointModelUniversal(w, u);
    return JointModelSpherical();
  }

  // One state after the other: f(q, v, x) to a row of out.
  template<class F>
  void each(const Model & model, long count, const double * q, const double * v, const double * x, double * out,
            int width, F f)
  {
    VectorXd qk(model.nq), vk(model.nv), xk(model.nv);
    for (long k = 0; k < count; ++k)
    {
      qk = Eigen::Map<const VectorXd>(q + k * model.nq, model.nq);
      vk = Eigen::Map<const VectorXd>(v + k * model.nv, model.nv);
      xk = Eigen::Map<const VectorXd>(x + k * model.nv, model.nv);
      Eigen::Map<VectorXd>(out + k * width, width) = f(qk, vk, xk);
    }
  }
} // namespace

extern "C"
{
  // The model from numbers between spaces; ordered: ready for lcaba, else for constraintDynamics.
  void * create(const char * text, int ordered)
  {
    std::istringstream in(text);
    auto * m = new Machine;
    int links;
    in >> links;
    m->model.gravity.linear(vector(in));
    for (int i = 0; i < links; ++i)
    {
      int parent, kind;
      double mass;
      in >> parent >> kind;
      const Vector3d at = vector(in);
      in >> mass;
      const Vector3d com = vector(in);
      Eigen::Matrix3d inertia;
      for (int k = 0; k < 9; ++k)
        in >> inertia(k / 3, k % 3);
      const Vector3d w = vector(in), u = vector(in);
      const SE3 X(Eigen::Matrix3d::Identity(), at);
      m->model.addJoint(parent, law(kind, w, u), X, std::to_string(i));
      m->model.appendBodyToJoint(i + 1, Inertia(mass, com, inertia), SE3::Identity());
    }
    m->data = Data(m->model);
    int pairs;
    in >> pairs;
    for (int i = 0; i < pairs; ++i)
    {
      int tail, head;
      in >> tail;
      const SE3 A(Eigen::Matrix3d::Identity(), vector(in));
      in >> head;
      const SE3 B(Eigen::Matrix3d::Identity(), vector(in));
      m->constraints.emplace_back(CONTACT_3D, m->model, tail, A, head, B, LOCAL);
      m->stores.emplace_back(m->constraints.back());
    }
    double accuracy, mu;
    int most, driven;
    in >> accuracy >> mu >> most >> driven;
    m->settings = ProximalSettings(accuracy, mu, most);
    std::vector<bool> is_driven(m->model.nv, false);
    for (int i = 0, k; i < driven; ++i)
    {
      in >> k;
      m->driven.push_back(k);
      is_driven[k] = true;
    }
    for (int k = 0; k < m->model.nv; ++k)
      if (!is_driven[k])
        m->dependent.push_back(k);
    for (int row; in >> row;)
      m->rows.push_back(row);
    if (ordered)
      computeJointMinimalOrdering(m->model, m->data, m->constraints);
    else
      initConstraintDynamics(m->model, m->data, m->constraints, m->stores);
    return m;
  }

  // q, v, tau to accelerations.
  void forward(void * handle, long count, const double * q, const double * v, const double * tau, double * out)
  {
    auto & m = *static_cast<Machine *>(handle);
    each(m.model, count, q, v, tau, out, m.model.nv, [&](const VectorXd & qk, const VectorXd & vk, const VectorXd & xk) {
      return constraintDynamics(m.model, m.data, qk, vk, xk, m.constraints, m.stores, m.settings);
    });
  }

  void articulated(void * handle, long count, const double * q, const double * v, const double * tau, double * out)
  {
    auto & m = *static_cast<Machine *>(handle);
    each(m.model, count, q, v, tau, out, m.model.nv, [&](const VectorXd & qk, const VectorXd & vk, const VectorXd & xk) {
      return lcaba(m.model, m.data, qk, vk, xk, m.constraints, m.stores, m.settings);
    });
  }

  // q, v, a to efforts of the driven joints: lambda from the dependent rows of tau = S' u + J' lambda, then u.
  void inverse(void * handle, long count, const double * q, const double * v, const double * a, double * out)
  {
    auto & m = *static_cast<Machine *>(handle);
    const int n = int(m.dependent.size()), d = int(m.driven.size());
    MatrixXd J = MatrixXd::Zero(3 * m.constraints.size(), m.model.nv), square(n, n);
    VectorXd right(n), force(n), effort(d);
    Eigen::PartialPivLU<MatrixXd> lu(n);
    each(m.model, count, q, v, a, out, d, [&](const VectorXd & qk, const VectorXd & vk, const VectorXd & xk) {
      const VectorXd & tau = rnea(m.model, m.data, qk, vk, xk);
      computeJointJacobians(m.model, m.data, qk);
      for (std::size_t k = 0; k < m.constraints.size(); ++k)
        m.constraints[k].calc(m.model, m.data, m.stores[k]);
      getConstraintsJacobian(m.model, m.data, m.constraints, m.stores, J);
      for (int i = 0; i < n; ++i)
      {
        right[i] = tau[m.dependent[i]];
        for (int j = 0; j < n; ++j)
          square(i, j) = J(m.rows[j], m.dependent[i]);
      }
      lu.compute(square);
      force.noalias() = lu.solve(right);
      for (int i = 0; i < d; ++i)
      {
        effort[i] = tau[m.driven[i]];
        for (int j = 0; j < n; ++j)
          effort[i] -= J(m.rows[j], m.driven[i]) * force[j];
      }
      return effort;
    });
  }
}
